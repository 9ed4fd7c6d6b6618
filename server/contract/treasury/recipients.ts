// The recipients of withdrawals that the owner need not fear: own wallets, and addresses that got money from here before.
// The page and `treasury withdraw` know them alike. Nothing is stored for it: they follow from what was sent.
import type { Input, Reply } from '../schemas.ts';

type Sent = Reply<'activity'>['entries'][number];

export interface Recipient {
  address: string;
  /** Of an own wallet. */
  name?: string;
  /** A sentence. */
  words: string;
}

interface Facts {
  cold: string | null;
  agents: readonly { walletAddress: string; displayName: string }[];
  /** Newest first. */
  withdrawals: readonly Sent[];
  labels: Reply<'listLabels'>['labels'];
  /** A time as the reader is shown it. */
  when: (iso: string) => string;
}

/** How the description begins of a debit that no order of the owner's explains: a thief's, for all that is known. */
export const foundOnChain = 'from the chain';

/** Each once: own wallets first, then the newest. */
export const recipientsOf = ({ cold, agents, withdrawals, labels, when }: Facts): readonly Recipient[] => {
  const sent = withdrawals
    .filter(({ status, description }) => status === 'confirmed' && !description.startsWith(foundOnChain))
    .map(({ payee, amount, currency, timestamp }) => ({
      address: payee,
      words: `You sent ${amount} ${currency} there on ${when(timestamp)}.`,
    }));
  const all: Recipient[] = [
    ...(cold === null ? [] : [own(cold, 'Your cold wallet')]),
    ...agents.map(({ walletAddress, displayName }) =>
      own(walletAddress, `Your agent ${displayName}’s wallet`),
    ),
    ...labels.map(({ address, label }) => {
      const before = sent.find((one) => one.address === address);
      return { address, words: `You call it “${label}”.${before === undefined ? '' : ` ${before.words}`}` };
    }),
    ...sent,
  ];
  return all.filter(({ address }, at) => all.findIndex((one) => one.address === address) === at);
};

const own = (address: string, name: string): Recipient => ({ address, name, words: `${name}.` });

export const recipientWords = (known: readonly Recipient[], to: string): string =>
  known.find(({ address }) => address === to)?.words ?? newAddress;

export const newAddress = 'New address. Money sent to a wrong one is lost.';
export const lockedWords = 'The treasury is locked. Unlock it before you send money.';

const most = 500;

/** Newest first. @param read one page of the activity, which may hold few entries although there are more */
export const withdrawalsIn = async (
  read: (query: NonNullable<Input<'activity'>['query']>) => Promise<Reply<'activity'>>,
): Promise<Sent[]> => {
  const found: Sent[] = [];
  let before = {};
  for (;;) {
    const { entries, next } = await read({ kind: 'withdrawal', limit: String(most), ...before });
    found.push(...entries);
    if (next === null || found.length >= most) return found;
    before = { before: String(next) };
  }
};
