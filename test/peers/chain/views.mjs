// Accounts and transactions as the RPC shows them, in base64: nobody here asks for a parsed form.
import bs58 from 'bs58';
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { RpcError } from './errors.mjs';

export const tokenPrograms = [TOKEN_PROGRAM_ID.toBase58(), TOKEN_2022_PROGRAM_ID.toBase58()];
const tokenAccountSize = 165;
const memoPrograms = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];
const computeBudget = 'ComputeBudget111111111111111111111111111111';

const checkEncoding = (encoding, known) => {
  if (!known.includes(encoding))
    throw new RpcError(-32_602, `this chain has no encoding ${encoding}: ask for ${known.join(' or ')}`);
};

export const accountView = (account, encoding = 'base64') => {
  checkEncoding(encoding, ['base64', 'jsonParsed']);
  if (account === null) return null;
  const { data, executable, lamports, programAddress } = account;
  return {
    data: [Buffer.from(data).toString('base64'), 'base64'],
    executable,
    lamports: Number(lamports),
    owner: programAddress,
    rentEpoch: 0,
    space: data.length,
  };
};

/** Null for what is no open token account. */
export const readTokenAccount = (account) => {
  if (!account || !tokenPrograms.includes(account.programAddress)) return null;
  const { data, programAddress } = account;
  const isOpen = data.length >= tokenAccountSize && data[108] !== 0;
  if (!isOpen) return null;
  return {
    mint: bs58.encode(data.subarray(0, 32)),
    owner: bs58.encode(data.subarray(32, 64)),
    amount: Buffer.from(data).readBigUInt64LE(64),
    programId: programAddress,
  };
};

export const amountView = (amount, decimals) => {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
  return { amount: String(amount), decimals, uiAmount: Number(text), uiAmountString: text };
};

const tokenBalances = (accounts, decimalsOf) =>
  accounts.flatMap((account, accountIndex) => {
    const token = readTokenAccount(account);
    if (token === null) return [];
    const { mint, owner, programId, amount } = token;
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: amountView(amount, decimalsOf(mint)) }];
  });

/** In lamports: 5,000 for each signature, and the price of the compute units that the transaction may use. */
export const feeOf = ({ header, compiledInstructions, staticAccountKeys }) => {
  let price = 0n;
  let units = BigInt(200_000 * compiledInstructions.length);
  for (const { programIdIndex, data } of compiledInstructions) {
    if (staticAccountKeys[programIdIndex].toBase58() !== computeBudget) continue;
    if (data[0] === 2) units = BigInt(Buffer.from(data).readUInt32LE(1));
    if (data[0] === 3) price = Buffer.from(data).readBigUInt64LE(1);
  }
  return 5_000 * header.numRequiredSignatures + Number((units * price + 999_999n) / 1_000_000n);
};

/** @param accounts those of the message before and after it ran */
export const metaOf = ({ err, run, message, accounts: [before, after], decimalsOf }) => ({
  err,
  status: err === null ? { Ok: null } : { Err: err },
  fee: feeOf(message),
  preBalances: before.map((account) => Number(account?.lamports ?? 0n)),
  postBalances: after.map((account) => Number(account?.lamports ?? 0n)),
  preTokenBalances: tokenBalances(before, decimalsOf),
  postTokenBalances: tokenBalances(after, decimalsOf),
  innerInstructions: [],
  logMessages: run.logs(),
  loadedAddresses: { writable: [], readonly: [] },
  rewards: [],
  computeUnitsConsumed: Number(run.computeUnitsConsumed()),
});

export const transactionView = ({ slot, wire, message, meta }, blockTime, encoding = 'json') => {
  checkEncoding(encoding, ['base64']);
  const version = message.version === 'legacy' ? 'legacy' : message.version;
  const transaction = [Buffer.from(wire).toString('base64'), 'base64'];
  return { slot, blockTime, meta, transaction, version };
};

/** As the history lists it: `[bytes] text`. */
export const memoOf = ({ message, keys }) => {
  const memos = message.compiledInstructions
    .filter(({ programIdIndex }) => memoPrograms.includes(keys[programIdIndex]))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
};
