// Signing in with a wallet: every check that Sign In With Solana leaves to the verifier, case by case.
import { ed25519 } from '@noble/curves/ed25519';
import { verifySignIn } from '@solana/wallet-standard-util';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../server/contract/schemas.ts';
import {
  minute,
  openSignIn,
  refusalOf,
  url,
  type SignInTreasury,
  type TestLink,
} from './sign-in-treasury.ts';
import { base64, createTestWallet } from './test-wallet.ts';

type Challenge = Reply<'askWallet'>;
interface Proof {
  address: string;
  message: string;
  signature: string;
}

let treasury: SignInTreasury;
let walletId: string;
const [wallet, stranger] = [createTestWallet(), createTestWallet()];
beforeAll(async () => {
  treasury = openSignIn();
  walletId = await treasury.addIdentity('wallet', wallet.address);
});
afterAll(() => treasury.close());

const ask = async (link = treasury.newLink()): Promise<{ link: TestLink; challenge: Challenge }> => ({
  link,
  challenge: await treasury.at(link, 'askWallet'),
});
const prove = (link: TestLink, proof: Proof) => treasury.at(link, 'proveWallet', proof);
const later = (challenge: Challenge, ms: number): string =>
  new Date(Date.parse(challenge.expirationTime) + ms).toISOString();

describe('a wallet that the owner added', () => {
  it('signs in with its signature, and gets a token for this link alone', async () => {
    const { link, challenge } = await ask();
    treasury.clock.now += minute;
    const { token, expiresAt, identity } = await prove(link, wallet.signIn(challenge));
    expect(token).toMatch(/^sin_[\w-]{43}$/);
    expect(treasury.signIn.identityOf(token)).toEqual({ identityId: walletId, linkId: link.id });
    expect(Date.parse(expiresAt)).toBe(link.expiresAt);
    expect(identity).toEqual({ kind: 'wallet', label: wallet.address });
  });

  it('is asked to sign a text with its purpose in one line, for this host and network, valid for five minutes', async () => {
    const { link, challenge } = await ask(treasury.newLink('my\nlaptop\u2028“é”\r'));
    expect(challenge).toMatchObject({
      domain: '127.0.0.1:4402',
      uri: `${url}/link`,
      version: '1',
      chainId: 'solana:mainnet',
      statement: 'Link my?laptop? to your Agent Treasury. The terminal shows the code 7KM-Q2X.',
      notBefore: challenge.issuedAt,
      requestId: link.id,
    });
    expect(challenge.nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(Date.parse(challenge.expirationTime) - Date.parse(challenge.issuedAt)).toBe(5 * minute);
    expect(JSON.stringify(challenge)).not.toContain(link.token);
    expect((await prove(link, wallet.signIn(challenge))).token).toMatch(/^sin_/);
  });

  it('is never asked to sign a text that is valid longer than its link', async () => {
    const link = treasury.newLink();
    treasury.clock.now += 7 * minute;
    const { challenge } = await ask(link);
    expect(Date.parse(challenge.expirationTime)).toBe(link.expiresAt);
  });
});

const littleEndian = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`);

/** Answers to the challenge of a fresh link that must be refused. */
const refused: Record<string, (challenge: Challenge) => Proof> = {
  'a message for another address, signed by the right key': (challenge) => ({
    ...wallet.signIn({ ...challenge, address: stranger.address }),
    address: wallet.address,
  }),
  'another address claimed for the right message': (challenge) => ({
    ...wallet.signIn(challenge),
    address: stranger.address,
  }),
  'the right address and message, signed by another key': (challenge) => {
    const proof = wallet.signIn(challenge);
    return { ...proof, signature: base64(stranger.sign(Buffer.from(proof.message, 'base64'))) };
  },
  'another domain': (challenge) => wallet.signIn({ ...challenge, domain: 'evil.example' }),
  'the same host on another port': (challenge) => wallet.signIn({ ...challenge, domain: '127.0.0.1:4403' }),
  'another uri': (challenge) => wallet.signIn({ ...challenge, uri: 'http://127.0.0.1:4403/link' }),
  'another statement': (challenge) => wallet.signIn({ ...challenge, statement: 'Sign in.' }),
  'another chain': (challenge) => wallet.signIn({ ...challenge, chainId: 'solana:devnet' }),
  'another link’s id': (challenge) => wallet.signIn({ ...challenge, requestId: 'link_0' }),
  'a longer time': (challenge) => wallet.signIn({ ...challenge, expirationTime: later(challenge, minute) }),
  'no end': ({ expirationTime: _end, ...challenge }) => wallet.signIn(challenge),
  'an earlier begin': (challenge) =>
    wallet.signIn({ ...challenge, notBefore: later(challenge, -10 * minute) }),
  'resources that nobody asked for': (challenge) =>
    wallet.signIn({ ...challenge, resources: ['https://evil.example'] }),
  'another nonce': (challenge) => wallet.signIn({ ...challenge, nonce: '0'.repeat(32) }),
  'bytes behind the message': (challenge) => {
    const message = Buffer.concat([
      Buffer.from(wallet.signIn(challenge).message, 'base64'),
      Buffer.from('\n'),
    ]);
    return { address: wallet.address, message: base64(message), signature: base64(wallet.sign(message)) };
  },
  'bytes before the message': (challenge) => {
    const message = Buffer.concat([
      Buffer.from(' '),
      Buffer.from(wallet.signIn(challenge).message, 'base64'),
    ]);
    return { address: wallet.address, message: base64(message), signature: base64(wallet.sign(message)) };
  },
  'a signature whose S is not reduced': (challenge) => {
    const proof = wallet.signIn(challenge);
    const signature = Buffer.from(proof.signature, 'base64');
    const s = littleEndian(signature.subarray(32)) + ed25519.CURVE.n;
    signature.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed(), 32);
    return { ...proof, signature: base64(signature) };
  },
  'a byte behind the signature': (challenge) => {
    const proof = wallet.signIn(challenge);
    return {
      ...proof,
      signature: base64(Buffer.concat([Buffer.from(proof.signature, 'base64'), Buffer.of(0)])),
    };
  },
  'an empty signature': (challenge) => ({ ...wallet.signIn(challenge), signature: '' }),
  'a signature of zeros': (challenge) => ({
    ...wallet.signIn(challenge),
    signature: base64(new Uint8Array(64)),
  }),
};

describe('a sign-in is refused for', () => {
  it.each(Object.keys(refused))('%s, and the challenge is used up', async (what) => {
    const { link, challenge } = await ask();
    const proof = refused[what]?.(challenge);
    const refusal = await refusalOf(prove(link, proof ?? wallet.signIn(challenge)));
    expect(refusal.code).toBe('unauthorized');
    const [second] = await Promise.allSettled([prove(link, wallet.signIn(challenge))]);
    // Without our nonce no challenge can be identified, and none is used up.
    expect(second.status).toBe(what === 'another nonce' ? 'fulfilled' : 'rejected');
  });

  it('a challenge that is too old, or whose time has not come', async () => {
    const late = await ask();
    treasury.clock.now = Date.parse(late.challenge.expirationTime);
    expect((await refusalOf(prove(late.link, wallet.signIn(late.challenge)))).code).toBe('unauthorized');
    const early = await ask();
    treasury.clock.now = Date.parse(early.challenge.notBefore) - 1;
    expect((await refusalOf(prove(early.link, wallet.signIn(early.challenge)))).message).toContain('clock');
    treasury.clock.now += 1;
    const justInTime = await ask();
    treasury.clock.now = Date.parse(justInTime.challenge.expirationTime) - 1;
    expect((await prove(justInTime.link, wallet.signIn(justInTime.challenge))).token).toMatch(/^sin_/);
  });

  it('a second use, even when a hundred come at once', async () => {
    const { link, challenge } = await ask();
    const proof = wallet.signIn(challenge);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => prove(link, proof)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await refusalOf(prove(link, proof))).code).toBe('unauthorized');
  });

  it('the challenge of another link', async () => {
    const [mine, other] = [await ask(), await ask()];
    expect((await refusalOf(prove(other.link, wallet.signIn(mine.challenge)))).code).toBe('unauthorized');
    expect((await prove(mine.link, wallet.signIn(mine.challenge))).token).toMatch(/^sin_/);
  });

  it('the oldest of six open challenges of one link', async () => {
    const link = treasury.newLink();
    const asked = [];
    for (let count = 0; count < 6; count += 1) asked.push((await ask(link)).challenge);
    const [oldest, second] = asked;
    if (oldest === undefined || second === undefined) throw new Error('there is no challenge');
    expect((await refusalOf(prove(link, wallet.signIn(oldest)))).code).toBe('unauthorized');
    expect((await prove(link, wallet.signIn(second))).token).toMatch(/^sin_/);
  });

  it('a token of another link', async () => {
    const [one, other] = [await ask(), await ask()];
    const tokens = [
      (await prove(one.link, wallet.signIn(one.challenge))).token,
      (await prove(other.link, wallet.signIn(other.challenge))).token,
    ];
    expect(tokens.map((token) => treasury.signIn.identityOf(token)?.linkId)).toEqual([
      one.link.id,
      other.link.id,
    ]);
    expect(treasury.signIn.identityOf(`sin_${'x'.repeat(43)}`)).toBeUndefined();
    expect(treasury.signIn.identityOf('')).toBeUndefined();
  });

  it('a link session that has ended', async () => {
    const { link, challenge } = await ask();
    treasury.end(link);
    expect((await refusalOf(prove(link, wallet.signIn(challenge)))).code).toBe('not_found');
    expect((await refusalOf(treasury.at(link, 'askWallet'))).code).toBe('not_found');
  });

  it('a wallet that the owner did not add, with that reason, once it has proved itself', async () => {
    const { link, challenge } = await ask();
    const refusal = await refusalOf(prove(link, stranger.signIn(challenge)));
    expect([refusal.code, refusal.message]).toEqual([
      'forbidden',
      'This wallet is not among those that the owner added in Settings.',
    ]);
  });

  it('a wallet that the owner has removed, and its tokens', async () => {
    const former = createTestWallet();
    const identityId = await treasury.addIdentity('wallet', former.address);
    const { link, challenge } = await ask();
    const { token } = await prove(link, former.signIn(challenge));
    await treasury.call('removeIdentity', {}, { identityId });
    expect(treasury.signIn.identityOf(token)).toBeUndefined();
    const again = await ask();
    expect((await refusalOf(prove(again.link, former.signIn(again.challenge)))).code).toBe('forbidden');
  });
});

describe('keys of small order', () => {
  const small = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ];

  it.each(small)('%s is no wallet: anybody could write its signatures', async (hex) => {
    const address = bs58.encode(Buffer.from(hex, 'hex'));
    const added = treasury.call('addIdentity', { kind: 'wallet', subject: address });
    expect((await refusalOf(added)).message).toContain('subject:');
    // Even if it were an identity.
    const row = {
      id: `idn_${hex}`,
      kind: 'wallet',
      subject: address,
      label: '',
      addedAt: 1,
      removedAt: null,
    } as const;
    treasury.store.atomically(() => treasury.store.identities.add(row));
    const { link, challenge } = await ask();
    const { message } = wallet.signIn({ ...challenge, address });
    // R is the neutral element and S is zero: 8·S·B = 8·R + 8·k·A holds for every message.
    const signature = Buffer.concat([Buffer.from(small[0] ?? '', 'hex'), Buffer.alloc(32)]);
    const asLooseAsConsensus = { zip215: true };
    expect(
      ed25519.verify(signature, Buffer.from(message, 'base64'), Buffer.from(hex, 'hex'), asLooseAsConsensus),
    ).toBe(true);
    expect((await refusalOf(prove(link, { address, message, signature: base64(signature) }))).code).toBe(
      'unauthorized',
    );
    treasury.store.atomically(() => treasury.store.identities.remove(row.id, 2));
  });
});

/** Calls it as a relying party would: with the challenge that was sent to the page. */
const libraryAccepts = (
  challenge: Challenge,
  { message, signature }: Proof,
  publicKey: Uint8Array,
): boolean =>
  verifySignIn(challenge, {
    account: { address: '', publicKey, chains: [], features: [] },
    signedMessage: Buffer.from(message, 'base64'),
    signature: Buffer.from(signature, 'base64'),
  });

describe('the library’s own check', () => {
  it('accepts a message that names another address than the key that signed it; we do not', async () => {
    const { link, challenge } = await ask();
    // A stranger's wallet signs a text that names the owner's wallet.
    const proof = { ...stranger.signIn({ ...challenge, address: wallet.address }), address: wallet.address };
    expect(libraryAccepts(challenge, proof, stranger.publicKey)).toBe(true);
    expect((await refusalOf(prove(link, proof))).code).toBe('unauthorized');
  });

  it('accepts expired and used challenges; we do not', async () => {
    const { link, challenge } = await ask();
    const proof = wallet.signIn(challenge);
    await prove(link, proof);
    treasury.clock.now = Date.parse(challenge.expirationTime) + 1;
    expect(libraryAccepts(challenge, proof, wallet.publicKey)).toBe(true);
    expect((await refusalOf(prove(link, proof))).code).toBe('unauthorized');
  });
});
