// Methods that send and simulate transactions.
import bs58 from 'bs58';

import { mintDecimals } from '../chain/account.ts';
import { signatureOf } from '../chain/bank.ts';
import type { Chain } from '../chain/chain.ts';
import { loadKeys } from '../chain/keys.ts';
import { hex } from '../chain/meta.ts';
import type { Outcome, Simulation } from '../chain/runtime.ts';
import { errorText } from '../chain/transaction-error.ts';
import { WireError, decodeTransaction, keyText, type Transaction } from '../../lib/solana/wire.ts';
import { renderAccount } from '../views/account-view.ts';
import { renderInner, returnData } from '../views/meta-view.ts';
import { accountShape } from './account-shape.ts';
import { readPoint, requireSlot, withContext, type Methods } from './context.ts';
import { RpcError, invalidParams } from './errors.ts';
import {
  addressParam,
  commitmentOf,
  configParam,
  encodedParam,
  flag,
  integerParam,
  listParam,
  optionalInteger,
  type Config,
} from './params.ts';

export const sendMethods = (chain: Chain): Methods => {
  const { bank, clock } = chain;

  const simulated = (transaction: Transaction, config: Config): object => {
    const { commitment, slot } = readPoint(chain, config);
    const verifySignatures = flag(config['sigVerify']);
    const replaces = flag(config['replaceRecentBlockhash']);
    if (verifySignatures && replaces) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    }
    const outcome = bank.simulate(transaction, { verifySignatures, checkBlockhash: !replaces, commitment });
    const { blockhash, lastValidBlockHeight } = bank.latestBlockhash(commitment);
    return withContext(slot, {
      ...simulationResult(chain, transaction, outcome, flag(config['innerInstructions'])),
      accounts: simulatedAccounts(chain, outcome, config),
      replacementBlockhash: replaces ? { blockhash: bs58.encode(blockhash), lastValidBlockHeight } : null,
    });
  };

  return {
    sendTransaction: ([text, configParams]) => {
      const config = configParam(configParams);
      const transaction = readTransaction(encodedParam(text, config['encoding']));
      const preflight = flag(config['skipPreflight']) ? null : commitmentOf(config, 'preflightCommitment');
      requireSlot(config, clock.slot(preflight ?? 'processed'));
      optionalInteger(config['maxRetries']);
      const outcome = bank.submit(transaction, preflight);
      if (preflight && outcome.err !== null) throw preflightFailure(chain, transaction, outcome);
      return bs58.encode(signatureOf(transaction));
    },
    simulateTransaction: ([text, configParams]) => {
      const config = configParam(configParams);
      return simulated(readTransaction(encodedParam(text, config['encoding'])), config);
    },
    requestAirdrop: ([address, lamports]) =>
      bs58.encode(chain.faucet.giveSol(addressParam(address), BigInt(integerParam(lamports)))),
  };
};

const readTransaction = (wire: Uint8Array): Transaction => {
  try {
    return decodeTransaction(wire);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw invalidParams(
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${error.message}`,
    );
  }
};

const preflightFailure = (chain: Chain, transaction: Transaction, outcome: Outcome): RpcError => {
  if (outcome.err === 'SignatureFailure') {
    return new RpcError('signatureFailure', 'Transaction signature verification failure');
  }
  return new RpcError('preflightFailure', `Transaction simulation failed: ${errorText(outcome.err ?? '')}`, {
    ...simulationResult(chain, transaction, outcome, false),
    accounts: null,
    replacementBlockhash: null,
  });
};

const simulationResult = (
  chain: Chain,
  { message }: Transaction,
  outcome: Outcome,
  showsInner: boolean,
): object => ({
  err: outcome.err,
  logs: outcome.logs,
  unitsConsumed: outcome.units,
  returnData: outcome.returned && returnData([hex(outcome.returned.program), hex(outcome.returned.data)]),
  innerInstructions: showsInner ? renderInner(outcome.inner, loadKeys(chain.runtime, message), true) : null,
});

/** The requested accounts, as they would be after the transaction. */
const simulatedAccounts = (chain: Chain, outcome: Simulation, config: Config): unknown => {
  if (config['accounts'] === undefined || config['accounts'] === null) return null;
  const wanted = configParam(config['accounts']);
  const shape = accountShape({ encoding: 'base64', ...wanted });
  const written = new Map(outcome.written.map(({ address, account }) => [keyText(address), account]));
  const decimalsOf = (mint: Uint8Array): number | null => mintDecimals(chain.runtime.read(mint));
  return listParam(wanted['addresses'], 64).map((text) => {
    const address = addressParam(text);
    const account =
      outcome.err === null ? (written.get(keyText(address)) ?? chain.runtime.read(address)) : null;
    return account && renderAccount(account, shape, decimalsOf);
  });
};
