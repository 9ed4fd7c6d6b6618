// A whole chain in one directory, opened or, when there is none yet, created.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import bs58 from 'bs58';

import type { Log } from '../../log.ts';
import { decodeAccount, encodeAccount, encodeMint, programs, usdcMint } from './account.ts';
import { createAccounts, type Accounts } from './accounts.ts';
import { createBank, type Bank } from './bank.ts';
import { createBlockhashes, type Blockhashes } from './blockhashes.ts';
import { createChainClock, type ChainClock, type ClockRecord } from './clock.ts';
import { createFaucet, type Faucet } from './faucet.ts';
import { keypairFromSeed, type Keypair } from './keypair.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { loadRuntime, runtimeOfEnvironment, type RuntimeChoice, type RuntimeName } from './load-runtime.ts';
import type { Runtime } from './runtime.ts';

interface ChainOptions {
  dataDir: string;
  slotMs: number;
  confirmMs: number;
  finalizeMs: number;
  /** Null: the one that the environment names, or the best that is installed. */
  runtime: RuntimeName | null;
  log: Log;
}

export interface Chain {
  readonly genesisHash: string;
  readonly faucetAddress: Uint8Array;
  readonly clock: ChainClock;
  readonly bank: Bank;
  readonly accounts: Accounts;
  readonly faucet: Faucet;
  readonly ledger: Ledger;
  readonly runtime: Runtime;
  readonly runtimeChoice: RuntimeChoice;
  readonly blockhashes: Blockhashes;
  close(): void;
}

/** Below 2^53, so that every balance is exact as a JSON number: 5 million SOL. */
export const genesisLamports = 5_000_000_000_000_000n;

export const openChain = async (options: ChainOptions): Promise<Chain> => {
  const { choice, runtime } = await loadRuntime(options.runtime ?? runtimeOfEnvironment(process.env));
  const ledger = openLedger(options.dataDir);
  try {
    return { ...startChain(options, runtime, ledger), runtimeChoice: choice };
  } catch (error) {
    ledger.close();
    throw error;
  }
};

const startChain = (
  options: ChainOptions,
  runtime: Runtime,
  ledger: Ledger,
): Omit<Chain, 'runtimeChoice'> => {
  if (ledger.readNote('genesisHash') === null) ledger.inOneGo(() => found(ledger, runtime));
  const faucetKey = keypairFromSeed(Buffer.from(note(ledger, 'faucetSeed'), 'hex'));
  restoreAccounts(ledger, runtime);
  const saved = ledger.readNote('clock');
  const clock = createChainClock({
    ...options,
    saved: saved === null ? null : (JSON.parse(saved) as ClockRecord),
    save: (record) => ledger.writeNote('clock', JSON.stringify(record)),
    newestMs: ledger.newestMs(),
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now(),
  });
  const blockhashes = createBlockhashes(note(ledger, 'blockhashSeed'));
  const bank = createBank({ runtime, ledger, clock, blockhashes, log: options.log });
  return {
    genesisHash: note(ledger, 'genesisHash'),
    faucetAddress: faucetKey.address,
    clock,
    bank,
    accounts: createAccounts(runtime, ledger, clock),
    faucet: createFaucet(bank, faucetKey),
    ledger,
    runtime,
    blockhashes,
    close: () => ledger.close(),
  };
};

const found = (ledger: Ledger, runtime: Runtime): void => {
  const faucetSeed = randomBytes(32);
  const faucet: Keypair = keypairFromSeed(faucetSeed);
  ledger.writeNote('faucetSeed', faucetSeed.toString('hex'));
  ledger.writeNote('blockhashSeed', randomBytes(32).toString('hex'));
  ledger.writeNote('genesisHash', bs58.encode(randomBytes(32)));
  const account = {
    lamports: genesisLamports,
    owner: programs.system,
    executable: false,
    data: new Uint8Array(),
  };
  ledger.saveAccount(faucet.address, encodeAccount(account));
  const mint = encodeMint(faucet.address, 6);
  const lamports = BigInt(runtime.rentExemption(mint.length));
  ledger.saveAccount(
    usdcMint,
    encodeAccount({ lamports, owner: programs.token, executable: false, data: mint }),
  );
};

/** Programs last: the runtime loads their code from other accounts. */
const restoreAccounts = (ledger: Ledger, runtime: Runtime): void => {
  const executables: { address: Buffer; image: Buffer }[] = [];
  for (const entry of ledger.accounts()) {
    const account = decodeAccount(entry.image);
    if (account.executable) executables.push(entry);
    else runtime.write(entry.address, account);
  }
  for (const { address, image } of executables) runtime.write(address, decodeAccount(image));
};

const note = (ledger: Ledger, name: string): string => {
  const text = ledger.readNote(name);
  if (text === null) throw new Error(`The sandbox's store lacks its ${name}.`);
  return text;
};
