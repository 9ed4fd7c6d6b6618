// Parses what the treasury shows of a request into its kind, with that kind's own fields.
import type { Reply } from '../../../server/contract/schemas.ts';
import { requestOutcomes, whyAsked } from '../../../server/contract/approvals/deciding.ts';
import { outcomes } from '../../../server/contract/payments/outcomes.ts';
import { fieldNames } from '../../../server/contract/limits/policy-fields.ts';
import { changesOf, type Change } from './policy-changes.ts';

export type Approval = Reply<'getApproval'>;

export type Request =
  | {
      kind: 'payment';
      paymentId: string;
      because: string;
      isHeldByWatch: boolean;
      service: string;
      serviceName: string;
      /** Each that gets a part of the amount, the payee first; `amount` is empty where one gets all. */
      recipients: readonly Recipient[];
      /** The payees of a standing approval for it. */
      payees: readonly string[];
      amount: string;
      currency: string;
      invoice: string;
      request: string;
      /** The payee has no USDC account: the price of opening one, and whether it closed one that you paid for. */
      account: { price: string; openedBefore: boolean } | null;
    }
  | { kind: 'policy'; changes: Change[]; wanted: Readonly<Record<string, unknown>> }
  | { kind: 'allocate'; amount: string; currency: string }
  | {
      kind: 'deploy';
      newAgentId: string;
      displayName: string;
      dailyBudget: string;
      maxPerPayment: string;
    }
  | { kind: 'resume' }
  /** Requests to a supplier of language models, without asking for each. */
  | {
      kind: 'standing';
      serviceName: string;
      because: string;
      model: string;
      bound: string;
      amount: string;
      until: string;
    };

export interface Recipient {
  payee: string;
  payeeIsNew: boolean;
  amount: string;
}

type Shown = Approval['shown'];

const text = (shown: Shown, name: string): string => {
  const value = shown[name];
  return typeof value === 'string' ? value : '';
};

const payeesOf = (shown: Shown): readonly string[] => {
  const { payees } = shown;
  const named = Array.isArray(payees) ? payees.filter((one) => typeof one === 'string') : [];
  return named.length === 0 ? [text(shown, 'payee')] : named;
};

const recipientsOf = (shown: Shown): readonly Recipient[] => {
  const { splits } = shown;
  const others = Array.isArray(splits) ? splits.map((one: Shown) => recipientOf(one, 'amount')) : [];
  return [recipientOf(shown, 'payeeGets'), ...others];
};

/** A payee counts as new unless it is known to have been paid before. */
const recipientOf = (shown: Shown, amount: string): Recipient => ({
  payee: text(shown, 'payee'),
  payeeIsNew: shown['payeeIsNew'] !== false,
  amount: text(shown, amount),
});

/** The agent's own, unchecked words. */
export const wordsOf = ({ shown }: Pick<Approval, 'shown'>) => ({
  reason: text(shown, 'reason'),
  description: text(shown, 'description'),
});

const accountOf = (shown: Shown): { price: string; openedBefore: boolean } | null => {
  const price = text(shown, 'opensAccount');
  return price === '' ? null : { price, openedBefore: shown['openedBefore'] === true };
};

const fields = (shown: Shown, name: string): Shown => {
  const value = shown[name];
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

export const requestOf = ({ kind, shown, facts }: Pick<Approval, 'kind' | 'shown' | 'facts'>): Request => {
  switch (kind) {
    case 'payment':
      return {
        kind,
        paymentId: text(shown, 'paymentId'),
        because: whyAsked({ shown, facts }),
        isHeldByWatch: shown['because'] === 'watch',
        service: text(shown, 'service'),
        serviceName: text(shown, 'serviceName'),
        recipients: recipientsOf(shown),
        payees: payeesOf(shown),
        amount: text(shown, 'amount'),
        currency: text(shown, 'currency'),
        invoice: text(shown, 'invoice'),
        request: text(shown, 'request'),
        account: accountOf(shown),
      };
    case 'policy':
      return {
        kind,
        changes: changesOf(fields(shown, 'from'), fields(shown, 'to')),
        wanted: wantedOf(shown),
      };
    case 'allocate':
      return { kind, amount: text(shown, 'amount'), currency: text(shown, 'currency') };
    case 'deploy':
      return {
        kind,
        newAgentId: text(shown, 'newAgentId'),
        displayName: text(shown, 'displayName'),
        dailyBudget: text(shown, 'dailyBudget'),
        maxPerPayment: text(shown, 'maxPerPayment'),
      };
    case 'resume':
      return { kind };
    case 'standing':
      return {
        kind,
        serviceName: text(shown, 'serviceName'),
        because: whyAsked({ shown, facts }),
        model: text(shown, 'model'),
        bound: text(shown, 'bound'),
        amount: text(shown, 'amount'),
        until: text(shown, 'until'),
      };
  }
};

/** The fields that differ, as the preview of a policy takes them. */
const wantedOf = (shown: Shown): Readonly<Record<string, unknown>> => {
  const [from, to] = [fields(shown, 'from'), fields(shown, 'to')];
  return Object.fromEntries(
    fieldNames.flatMap((name) =>
      JSON.stringify(from[name]) === JSON.stringify(to[name]) ? [] : [[name, to[name]]],
    ),
  );
};

/** Follows the agent's name. */
export const asks: Record<Request['kind'], string> = {
  payment: 'asks to make a payment',
  policy: 'asks to change its policy',
  allocate: 'asks for more funds',
  deploy: 'asks to create an agent',
  resume: 'asks to be resumed',
  standing: 'asks to use a language model',
};

/** In one word, for lists. */
export const kinds: Record<Request['kind'], string> = {
  payment: 'Payment',
  policy: 'Policy change',
  allocate: 'Funding',
  deploy: 'New agent',
  resume: 'Resuming',
  standing: 'Language model',
};

const colors = { pending: 'yellow', granted: 'teal', denied: 'orange', expired: 'gray', cancelled: 'gray' };

export const outcomeNamed = (status: Approval['status']) => ({
  label: requestOutcomes[status],
  color: colors[status],
});

/** A grant that no longer fitted the limits counts as denied, with the reason. */
const refused = { label: outcomes.refused.label, color: 'orange' };

/** A denial counts from the moment that the owner gave it. */
export const outcomeOf = ({ status, denyAt, result }: Approval): { label: string; color: string } => {
  if (status === 'pending') return outcomeNamed(denyAt === null ? 'pending' : 'denied');
  return status === 'denied' && typeof result?.['refusal'] === 'string' ? refused : outcomeNamed(status);
};
