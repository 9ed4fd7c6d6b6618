// The one honest number: how much USDC could be lost if this machine were stolen now. It assumes that a thief knows the
// passphrase, and ignores every rule here: only the chain binds a thief.
import type { Reply } from '../../contract/schemas.ts';
import { formatSol, formatUsdc, lamports, usdc } from '../../money.ts';
import { isoOrNull } from '../calls/views.ts';
import type { EngineContext } from '../calls/call.ts';
import { reachOf } from '../domain/cold.ts';
import { isPaid } from '../domain/states.ts';

const staleAfterMs = 60_000;

/**
 * Every wallet ever derived, archived ones too, with all its USDC accounts; the smaller of allowance and balance of every
 * cold wallet ever chosen; and payments to others that a fork could still return. Transfers between own wallets cancel out.
 */
export const exposureOf = ({
  store,
  funds,
  time,
  settings,
}: EngineContext): Reply<'dashboard'>['exposure'] => {
  const held = store.wallets.list();
  const own = new Set(held.map(({ address }) => address));
  const treasury = unitsIn(held.filter(({ address }) => address === settings.owner));
  const agents = unitsIn(held.filter(({ address }) => address !== settings.owner));
  const wallets = treasury + agents + funds.aside.units();
  const reach = store.cold.accounts().reduce((sum, cold) => sum + reachOf(cold) + cold.doubt, 0n);
  const returning = store.transfers
    .open()
    .filter((row) => isPaid(row) && row.asset === 'USDC' && !own.has(row.payee))
    .reduce((sum, { amount }) => sum + amount, 0n);
  const asOf = funds.comparedAt();
  return {
    amount: formatUsdc(usdc(wallets + reach + returning)),
    wallets: formatUsdc(usdc(wallets)),
    treasury: formatUsdc(usdc(treasury)),
    agents: formatUsdc(usdc(agents)),
    aside: formatUsdc(usdc(funds.aside.units())),
    cold: formatUsdc(usdc(reach)),
    returning: formatUsdc(usdc(returning)),
    sol: formatSol(lamports(funds.lamports())),
    providerKeys: store.modelSuppliers.list().filter(({ hasKey }) => hasKey).length,
    asOf: isoOrNull(asOf),
    isStale: asOf === null || time.now() - asOf > staleAfterMs || !funds.aside.isWhole(),
  };
};

const unitsIn = (wallets: readonly { balance: bigint; doubt: bigint }[]): bigint =>
  wallets.reduce((sum, { balance, doubt }) => sum + balance + doubt, 0n);

/** All that the owner has here, and where it is. @param treasury what the treasury's own wallet holds */
export const totalOf = (
  { store, settings }: EngineContext,
  treasury: bigint,
): Reply<'dashboard'>['total'] => {
  const agents = store.wallets
    .list()
    .reduce((sum, { address, balance }) => (address === settings.owner ? sum : sum + balance), 0n);
  const cold = store.cold.get()?.balance ?? null;
  return {
    amount: formatUsdc(usdc((cold ?? 0n) + treasury + agents)),
    cold: cold === null ? null : formatUsdc(cold),
    treasury: formatUsdc(usdc(treasury)),
    agents: formatUsdc(usdc(agents)),
  };
};
