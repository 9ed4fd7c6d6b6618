// The names of accounts in plain-text accounting, in the strictest of the three syntaxes, which is beancount's: parts of
// letters, digits and hyphens that begin with a capital letter or a digit.
// https://beancount.github.io/docs/beancount_language_syntax.html#accounts
import { hash } from 'node:crypto';
import { counterpartyOf, type Entry, type Place } from './entry.ts';

const unallocated = 'Unallocated';
const coldAccount = 'Assets:Cold';
const salesAccount = 'Income:Sales';

const plainPart = (name: string): string => {
  const plain = name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return plain === '' ? noLetters : plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** The syntax has no letter of it. */
const noLetters = 'X';

/** Services whose names have no such letter stay apart by a hash. */
const servicePart = (name: string): string => {
  const part = plainPart(name);
  return part === noLetters ? `${part}-${hash('sha256', name).slice(0, 6)}` : part;
};

/**
 * Two agents never become one account: an id that the syntax does not let through leaves a trace, which the account of no
 * other id can hold.
 */
export const agentPart = (agentId: string): string => {
  const part = plainPart(agentId);
  const isItself = /^[a-z0-9][A-Za-z0-9]*(-[A-Za-z0-9]+)*$/.test(agentId) && part !== unallocated;
  return isItself ? part : `${part}--${hash('sha256', agentId).slice(0, 6)}`;
};

/** What is owed to suppliers of models begins with it. */
export const owedAccount = 'Liabilities:Models:';
export const owedTo = (supplierId: string): string => `${owedAccount}${agentPart(supplierId)}`;
export const modelExpense = (supplierId: string): string => `Expenses:Models:${agentPart(supplierId)}`;

/** Of an asset of the owner; of what is outside, the entry's own account says. */
export const accountOfPlace = (place: Place): string | null => {
  if (place.kind === 'treasury') return `Assets:Treasury:${unallocated}`;
  if (place.kind === 'agent') return `Assets:Treasury:${agentPart(place.agentId)}`;
  if (place.kind === 'account') return place.account;
  return place.kind === 'cold' ? coldAccount : null;
};

/** Where the money was and where it is: accounts of the owner, or the one by which the entry is classified. */
export const accountsOf = (
  { from, to }: Entry,
  { account }: { account: string },
): { from: string; to: string } => ({
  from: accountOfPlace(from) ?? account,
  to: accountOfPlace(to) ?? account,
});

/** Money that goes from one account of the owner to another is nobody's expense. */
export const isOwnTransfer = ({ from, to }: Entry): boolean =>
  accountOfPlace(from) !== null && accountOfPlace(to) !== null;

/**
 * The account of what is outside, unless a rule of the owner's names another.
 * @param cold addresses that are, or were, those of the owner's cold treasury
 * @param sold the name of the sale that the entry belongs to; null: to none
 */
export const usualAccount = (entry: Entry, cold: ReadonlySet<string>, sold: string | null): string => {
  const { kind, serviceName, serviceId } = entry;
  if (cold.has(counterpartyOf(entry) ?? '')) return coldAccount;
  if (kind === 'fee') return 'Expenses:Network-Fees';
  if (sold !== null) return sold === '' ? salesAccount : `${salesAccount}:${plainPart(sold)}`;
  if (kind === 'deposit') return 'Equity:Deposits';
  if (kind === 'withdrawal') return 'Equity:Withdrawals';
  if (kind === 'opening') return 'Equity:Opening-Balances';
  return `Expenses:APIs:${servicePart(serviceNameOf(serviceName, serviceId))}`;
};

const serviceNameOf = (serviceName: string, serviceId: string | null): string => {
  const name = serviceName === '' ? (serviceId ?? 'Unknown service') : serviceName;
  return URL.canParse(name) ? new URL(name).host || name : name;
};
