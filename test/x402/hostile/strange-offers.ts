// Offers that are strange and yet can be paid, of sellers that then deliver.
import bs58 from 'bs58';
import { base64, delivers, entry, raw, required, send, v2 } from './answers.ts';
import { bought, type Case, type Scene } from './case.ts';

export const strangeOffers: readonly Case[] = [
  ...(
    [
      ['dead', () => ({ recentBlockhash: bs58.encode(Buffer.alloc(32, 9)), lastValidBlockHeight: 1 })],
      ['zero', () => ({ recentBlockhash: '1'.repeat(32), lastValidBlockHeight: '0' })],
      ['malformed', () => ({ recentBlockhash: '0OIl', lastValidBlockHeight: -1 })],
      [
        'huge-height',
        () => ({ recentBlockhash: bs58.encode(Buffer.alloc(32, 9)), lastValidBlockHeight: 2 ** 53 }),
      ],
      [
        'nonce',
        ({ feePayer }) => ({
          recentBlockhash: feePayer,
          nonceAccount: feePayer,
          nonceAuthority: feePayer,
          nonce: feePayer,
        }),
      ],
    ] as readonly (readonly [string, (scene: Scene) => object])[]
  ).map(([name, extra]): Case => ({
    name: `blockhash-${name}`,
    first: v2({}, extra),
    paid: delivers,
    ...bought,
  })),
  {
    name: 'memo-256-bytes',
    first: v2({}, { memo: 'é'.repeat(128) }),
    paid: delivers,
    ...bought,
  },
  {
    name: 'resource-of-somebody-else',
    first: (response, scene) =>
      send(
        response,
        402,
        {},
        {
          'payment-required': base64(
            required(scene, [entry(scene)], { resource: { url: `${scene.other}/stolen/${scene.name}` } }),
          ),
        },
      ),
    paid: delivers,
    signed: 'at most 1',
    landed: 'at most 1',
    status: [200, 501],
  },
  {
    name: 'versions-disagree',
    first: (response, scene) => {
      const { amount: _, ...rest } = entry(scene) as { amount: string };
      send(
        response,
        402,
        {
          x402Version: 1,
          accepts: [
            {
              ...rest,
              network: 'solana',
              maxAmountRequired: '400000',
              payTo: scene.feePayer,
              resource: scene.url,
            },
          ],
        },
        { 'payment-required': base64(required(scene, [entry(scene)])) },
      );
    },
    paid: delivers,
    ...bought,
  },
  {
    name: 'dearest-first',
    first: raw((scene) =>
      required(scene, [entry(scene, { amount: '499999' }), entry(scene), entry(scene, { amount: '400000' })]),
    ),
    paid: delivers,
    ...bought,
  },
];
