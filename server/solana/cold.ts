// The USDC account of a cold treasury: what it holds, and what this treasury may draw on it.
import { AccountLayout, AccountState, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { ColdReading } from '../engine/ports.ts';
import { usdc, type Usdc } from '../money.ts';
import { accountAnswer } from './rpc/answers.ts';
import { tokenAccountAddress } from './message.ts';
import type { Rpc } from './rpc/rpc.ts';

interface Place {
  /** The owner of the token account. */
  address: string;
  mint: string;
  /** The delegate of whom the allowance is read. */
  treasury: string;
}

/** An allowance may be any unsigned 64-bit number; more USDC than this will never exist. */
const most = 2n ** 62n;
const capped = (units: bigint): Usdc => usdc(units < most ? units : most);
const nothing = usdc(0n);

/** The account at `confirmed`. @throws what `Rpc.call` throws */
export const readColdAccount = async (rpc: Rpc, { address, mint, treasury }: Place): Promise<ColdReading> => {
  const options = { commitment: 'confirmed', encoding: 'base64' };
  const answer = await rpc.call(
    'getAccountInfo',
    [tokenAccountAddress(address, mint), options],
    accountAnswer,
  );
  const { slot } = answer.context;
  const account = accountIn(answer.value);
  if (account === null || !account.owner.equals(new PublicKey(address)))
    return { slot, balance: nothing, allowance: nothing, fault: 'missing' };
  const isOurs = account.delegateOption === 1 && account.delegate.equals(new PublicKey(treasury));
  const allowance = isOurs ? capped(account.delegatedAmount) : nothing;
  // A frozen account can be thawed: its allowance stands until then.
  const fault = account.state === AccountState.Frozen ? 'frozen' : allowance === nothing ? 'delegate' : null;
  return { slot, balance: capped(account.amount), allowance, fault };
};

/** Null for an account that the token program does not own. */
const accountIn = (value: { owner: string; data: Buffer } | null) =>
  value === null || value.owner !== TOKEN_PROGRAM_ID.toBase58() || value.data.length !== AccountLayout.span
    ? null
    : AccountLayout.decode(value.data);
