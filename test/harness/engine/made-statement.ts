// A statement with its anchors, made without a treasury: the lines, the transactions that an RPC would show, and an RPC
// that shows them.
import { generateKeyPairSync, hash, sign, type KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import { PublicKey, TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Entry } from '../../../server/books/entry.ts';
import { lineOf } from '../../../server/books/line.ts';
import { createMerkleTree } from '../../../server/books/merkle.ts';
import { anchorText, type AnchorFacts } from '../../../server/books/verify/anchor-text.ts';
import type { AskRpc } from '../../../server/books/verify/rpc.ts';
import { anchorLine, headLine } from '../../../server/books/verify/statement-lines.ts';
import { verifyStatement, type Verdict } from '../../../server/books/verify/verify.ts';
import { usdc } from '../../../server/money.ts';
import type { Dice } from '../dice.ts';

const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const dayMs = 86_400_000;
const begins = Date.parse('2026-10-01T00:00:00Z');

export interface Signer {
  address: string;
  key: KeyObject;
}

export const newSigner = (): Signer => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { address: bs58.encode(bytes), key: privateKey };
};

export interface Shown {
  wire: Buffer;
  err: unknown;
  blockTime: number;
}

/** The bytes of a transaction that says this. */
export const wireOf = (
  signer: Signer,
  memo: string,
  extra: readonly TransactionInstruction[] = [],
): Buffer => {
  const message = new TransactionMessage({
    payerKey: new PublicKey(signer.address),
    recentBlockhash: bs58.encode(hash('sha256', memo, 'buffer')),
    instructions: [
      new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(memo) }),
      ...extra,
    ],
  })
    .compileToLegacyMessage()
    .serialize();
  return Buffer.concat([Buffer.of(1), sign(null, message, signer.key), message]);
};

export const signatureOf = (wire: Buffer): string => bs58.encode(wire.subarray(1, 65));

export interface Made {
  signer: Signer;
  lines: string[];
  /** The transactions on the chain, by signature. */
  chain: Map<string, Shown>;
  anchors: { at: number; facts: AnchorFacts; memo: string; transaction: string }[];
}

/** A whole number from 0. */
export const below = (dice: Dice, count: number): number => Math.floor(dice.roll() * count);

const idOf = (n: number): string => n.toString(36).padStart(29, '0');

const entryOf = (dice: Dice, n: number, at: number): Entry => ({
  id: `pay_${idOf(n)}`,
  kind: below(dice, 5) === 0 ? 'transfer' : 'spending',
  at,
  asset: 'USDC',
  amount: usdc(BigInt(1 + below(dice, 5_000_000))),
  from: { kind: 'agent', agentId: `agent-${below(dice, 9)}` },
  to: { kind: 'outside', address: 'So11111111111111111111111111111111111111112' },
  agentId: `agent-${below(dice, 9)}`,
  groupId: null,
  serviceId: below(dice, 4) === 0 ? null : 'svc-"quoted"\\\u2028é',
  serviceName: '',
  origin: null,
  description: '',
  txSignature: bs58.encode(hash('sha512', String(n), 'buffer')),
});

/** Puts an anchor of the lines since the last one behind them. */
export const addAnchor = (
  made: Made,
  entries: readonly string[],
  change: Partial<AnchorFacts> = {},
): void => {
  const last = made.anchors.at(-1);
  const tree = createMerkleTree();
  for (const line of entries) tree.add(line);
  const from = last?.facts.to ?? 0;
  const facts: AnchorFacts = {
    zone: 'UTC',
    from,
    to: (from === 0 ? begins : from) + dayMs,
    entries: tree.count(),
    root: tree.root(),
    previous: last?.transaction ?? null,
    head: hash('sha256', String(made.lines.length)),
    ...change,
  };
  const memo = `at:anc_${idOf(made.anchors.length)}:${anchorText(facts)}`;
  const wire = wireOf(made.signer, memo);
  const transaction = signatureOf(wire);
  made.chain.set(transaction, { wire, err: null, blockTime: facts.to / 1_000 + 600 });
  made.lines.push(...entries);
  made.anchors.push({ at: made.lines.length, facts, memo, transaction });
  made.lines.push(anchorLine({ memo, transaction }));
};

export const madeStatement = (
  dice: Dice,
  { spans, entries }: { spans: number; entries: number },
  signer = newSigner(),
): Made => {
  const made: Made = {
    signer,
    lines: [headLine({ signer: signer.address, genesis })],
    chain: new Map(),
    anchors: [],
  };
  for (let span = 0; span < spans; span += 1) {
    const from = begins + span * dayMs;
    const times = Array.from({ length: entries }, () => from + below(dice, dayMs)).toSorted((a, b) => a - b);
    addAnchor(
      made,
      times.map((at, n) => lineOf(entryOf(dice, span * entries + n, at))),
    );
  }
  return made;
};

export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

export const rpcOf =
  ({ chain }: Pick<Made, 'chain'>): AskRpc =>
  async (method, [signature]) => {
    if (method === 'getGenesisHash') return genesis;
    const shown = chain.get(String(signature));
    if (shown === undefined) return null;
    const { wire, err, blockTime } = shown;
    return { slot: 1, blockTime, meta: { err }, transaction: [wire.toString('base64'), 'base64'] };
  };

const pieceBytes = 65_536;

export const verifyMade = (
  made: Made,
  file: string | Uint8Array = textOf(made.lines),
  signer = made.signer.address,
): Promise<Verdict> => {
  const bytes = Buffer.from(file);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) =>
    bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  return verifyStatement(Readable.from(pieces), { signer, ask: rpcOf(made) });
};
