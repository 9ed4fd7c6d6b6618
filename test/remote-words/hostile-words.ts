// Hostile words, as an RPC might show them: each differs from the owner's honest word in one way that has to matter.
import { randomBytes } from 'node:crypto';
import {
  ComputeBudgetProgram,
  type Keypair,
  MessageV0,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { createDice } from '../harness/dice.ts';
import { memoOf, partsOf, transferOf, type WordParts } from '../harness/chain/phone.ts';

/** A transaction in the answers of an RPC. */
export interface Shown {
  kind: string;
  /** Under which it is listed. */
  signature: string;
  wire: Buffer;
  err: unknown;
  /** Unix seconds. */
  blockTime: number | null;
}

export interface Scene {
  phone: Keypair;
  stranger: Keypair;
  /** The request that is forged, one that was answered before, and another that is open. */
  request: string;
  answered: string;
  other: string;
  /** Unix milliseconds. */
  deadline: number;
}

type Pick = <T>(from: readonly T[]) => T;
interface Dice {
  pick: Pick;
  below(n: number): number;
}

/** The same seed gives the same choices; keys and noise are random. */
export const diceOf = (seed: number): Dice => {
  const { roll } = createDice(seed);
  const below = (n: number): number => Math.floor(roll() * n);
  return {
    below,
    pick(from) {
      const one = from[below(from.length)];
      if (one === undefined) throw new Error('nothing to pick from');
      return one;
    },
  };
};

const someKey = (): string => bs58.encode(randomBytes(32));

const signed = (
  payer: Keypair,
  instructions: readonly TransactionInstruction[],
  others: readonly Keypair[] = [],
): Buffer => {
  const transaction = new Transaction().add(...instructions);
  transaction.feePayer = payer.publicKey;
  transaction.recentBlockhash = someKey();
  transaction.sign(payer, ...others);
  return transaction.serialize();
};

const show = (kind: string, wire: Buffer, change: Partial<Shown> = {}): Shown => ({
  kind,
  signature: bs58.encode(wire.subarray(1, 65)),
  wire,
  err: null,
  blockTime: Math.floor(Date.now() / 1_000),
  ...change,
});

const said = (keys: Keypair, parts: WordParts): TransactionInstruction[] => [
  ComputeBudgetProgram.setComputeUnitLimit({ units: 50_000 }),
  memoOf(parts.memo),
  transferOf(keys.publicKey, parts),
];

const honestWire = ({ phone, request }: Scene, change: Partial<WordParts> = {}): Buffer =>
  signed(phone, said(phone, { ...partsOf(request), ...change }));

/** The owner's word. */
export const honest = (scene: Scene): Shown => show('honest', honestWire(scene));

type Forge = (scene: Scene, dice: Dice) => Shown;

const otherMemo = ({ request, other }: Scene, { pick, below }: Dice): string => {
  const { memo } = partsOf(request);
  const at = below(memo.length);
  return pick([
    `${memo} `,
    ` ${memo}`,
    memo.slice(0, -1),
    `${memo}0`,
    memo.toUpperCase(),
    `${memo.slice(0, at)}${memo[at] === 'x' ? 'y' : 'x'}${memo.slice(at + 1)}`,
    memo.replace('at:', 'At:'),
    memo.replace(' ', '\u00a0').concat('\u200b'),
    partsOf(other).memo,
    '',
  ]);
};

const otherReferences = ({ request, other }: Scene, { pick }: Dice): string[] => {
  const { references } = partsOf(request);
  const foreign = someKey();
  return pick([
    [],
    [foreign],
    [...references, foreign],
    [foreign, ...references],
    [foreign, ...references.slice(1)],
    [...references.slice(0, -1), foreign],
    [...references, ...references],
    ...(references.length > 1 ? [references.toReversed(), references.slice(1), references.slice(0, 1)] : []),
    ...(partsOf(other).references.join() === references.join() ? [] : [partsOf(other).references]),
  ]);
};

const extra = ({ phone }: Scene): TransactionInstruction =>
  new TransactionInstruction({
    programId: new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
    keys: [{ pubkey: phone.publicKey, isSigner: true, isWritable: true }],
    data: Buffer.from([1]),
  });

const otherShape: Forge = (scene, { pick }) => {
  const { phone, request } = scene;
  const [limit, memo, transfer] = said(phone, partsOf(request));
  if (limit === undefined || memo === undefined || transfer === undefined) throw new Error('three parts');
  const memoV1 = new TransactionInstruction({
    ...memo,
    programId: new PublicKey('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'),
  });
  const foreignSigns = {
    ...memo,
    keys: [{ pubkey: scene.stranger.publicKey, isSigner: false, isWritable: false }],
  };
  return show(
    'other shape',
    signed(
      phone,
      pick([
        [memo],
        [transfer],
        [limit, memo, transfer, transfer],
        [limit, memo, memo, transfer],
        [memo, transfer, extra(scene)],
        [memoV1, transfer],
        [new TransactionInstruction(foreignSigns), transfer],
      ]),
    ),
  );
};

/** A reference that could sign or be written to. */
const strongReference: Forge = (scene, { pick }) => {
  const { phone, stranger, request } = scene;
  const parts = said(phone, partsOf(request));
  const transfer = parts[2];
  const named = transfer?.keys[2];
  if (transfer === undefined || named === undefined) throw new Error('a word names the mailbox');
  if (pick([true, false])) {
    transfer.keys[2] = { ...named, isWritable: true };
    return show('a writable reference', signed(phone, parts));
  }
  transfer.keys.push({ pubkey: stranger.publicKey, isSigner: true, isWritable: false });
  return show('a second signer', signed(phone, parts, [stranger]));
};

const otherCode: Forge = ({ phone, request }, { pick }) => {
  const parts = said(phone, partsOf(request));
  const transfer = parts[2];
  if (transfer === undefined) throw new Error('a word has a transfer');
  const data = Buffer.from(transfer.data);
  data.writeUInt32LE(pick([0, 1, 3, 8, 11]), 0);
  parts[2] = new TransactionInstruction({ ...transfer, data: pick([data, data.subarray(0, 11)]) });
  return show('another instruction of the system program', signed(phone, parts));
};

/** The chain would refuse it; an RPC may show it. */
const unsignedSource: Forge = ({ phone, stranger, request }) => {
  const parts = said(phone, partsOf(request));
  const transfer = parts[2];
  if (transfer === undefined) throw new Error('a word has a transfer');
  transfer.keys[0] = { pubkey: stranger.publicKey, isSigner: false, isWritable: true };
  return show('another source, which does not sign', signed(phone, parts));
};

/** The transfer would be an inner instruction of another program. */
const inner: Forge = ({ phone, request }) => {
  const parts = partsOf(request);
  const transfer = transferOf(phone.publicKey, parts);
  const wrapped = new TransactionInstruction({
    programId: new PublicKey(someKey()),
    keys: [...transfer.keys, { pubkey: SystemProgram.programId, isSigner: false, isWritable: false }],
    data: transfer.data,
  });
  return show('inner', signed(phone, [memoOf(parts.memo), wrapped]));
};

/** Version 0, whose references stand in a look-up table. */
const lookUpTable: Forge = ({ phone, request }) => {
  const compiled = MessageV0.compile({
    payerKey: phone.publicKey,
    instructions: said(phone, partsOf(request)),
    recentBlockhash: someKey(),
  });
  const accountKey = new PublicKey(someKey());
  const transaction = new VersionedTransaction(
    new MessageV0({
      ...compiled,
      addressTableLookups: [{ accountKey, writableIndexes: [], readonlyIndexes: [0] }],
    }),
  );
  transaction.sign([phone]);
  return show('a look-up table', Buffer.from(transaction.serialize()));
};

const flipped: Forge = (scene, { below }) => {
  const { signature } = honest(scene);
  const wire = honestWire(scene);
  const at = below(wire.length);
  wire[at] = (wire[at] ?? 0) ^ (1 << below(8));
  return show('a changed byte', wire, below(2) === 0 ? { signature } : {});
};

const resized: Forge = (scene, { pick, below }) => {
  const wire = honestWire(scene);
  const shorter = wire.subarray(0, below(wire.length));
  const { signature } = show('', wire);
  return show('cut or longer', pick([shorter, Buffer.concat([wire, randomBytes(1 + below(40))])]), {
    signature,
  });
};

const swapped: Forge = (scene, { pick }) => {
  const [one, two] = [
    honest(scene),
    show('', signed(scene.stranger, said(scene.stranger, partsOf(scene.request)))),
  ];
  return pick([
    { ...one, kind: 'under another signature', signature: two.signature },
    { ...two, kind: 'under another signature', signature: one.signature },
  ]);
};

export const forgeries: readonly Forge[] = [
  ({ stranger, request }) => show('another wallet', signed(stranger, said(stranger, partsOf(request)))),
  ({ phone, stranger, request }) =>
    show('another source', signed(phone, said(stranger, partsOf(request)), [stranger])),
  ({ phone, stranger, request }) =>
    show('another payer', signed(stranger, said(phone, partsOf(request)), [phone])),
  (scene, dice) => show('another memo', honestWire(scene, { memo: otherMemo(scene, dice) })),
  (scene, dice) => show('other references', honestWire(scene, { references: otherReferences(scene, dice) })),
  (scene) => show('answered before', honestWire({ ...scene, request: scene.answered })),
  ({ deadline, ...scene }, { below }) =>
    show('late', honestWire({ ...scene, deadline }), {
      blockTime: Math.ceil(deadline / 1_000) + 1 + below(1_000_000),
    }),
  (scene) => show('without a time', honestWire(scene), { blockTime: null }),
  (scene) => show('long before', honestWire(scene), { blockTime: 1_000_000_000 }),
  (scene, { pick }) =>
    show('failed', honestWire(scene), {
      err: pick([{ InstructionError: [2, { Custom: 1 }] }, 'AccountInUse', { InsufficientFundsForRent: {} }]),
    }),
  (scene) => show('another recipient', honestWire(scene, { treasury: someKey() })),
  (scene, { pick }) =>
    show('another sum', honestWire(scene, { lamports: pick([0, 1, 999, 1_001, 1_000_000]) })),
  otherShape,
  unsignedSource,
  strongReference,
  otherCode,
  inner,
  lookUpTable,
  flipped,
  resized,
  swapped,
  (_, { below }) => show('noise', Buffer.concat([Buffer.from([1]), randomBytes(64 + below(600))])),
];

/**
 * A freeze never ends: it cannot be late, nor answered before, and no request of another approval stands beside it. It is
 * obeyed without a time.
 */
const notOfFreezes = new Set(['late', 'answered before', 'without a time']);

export const forge = (scene: Scene, dice: Dice, isFreeze: boolean): Shown => {
  for (;;) {
    const one = dice.pick(forgeries)(scene, dice);
    if (!isFreeze || !notOfFreezes.has(one.kind)) return one;
  }
};
