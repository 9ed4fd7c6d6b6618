// Converts limits at single services to what the form holds, and back.
import {
  serviceLimitFields,
  serviceLimitsInReply,
  type ServiceLimitField,
  type ServiceLimits,
} from '../../../../server/contract/limits/service-limits.ts';
import { parseUsdc } from '../../../../server/money.ts';
import { limitRule } from '../../../shared/amount-rule.ts';

/** Limits at one service as they are typed; an empty amount sets none. */
export type ServiceLimitDraft = { service: string } & Record<ServiceLimitField, string>;
export const emptyServiceLimit: ServiceLimitDraft = {
  service: '',
  dailyBudget: '',
  monthlyBudget: '',
  maxPerPayment: '',
};

/** A draft to begin with where none are set. */
export const draftsOf = (limits: ServiceLimits<string>): ServiceLimitDraft[] => {
  const drafts = Object.entries(limits).map(([service, { dailyBudget, monthlyBudget, maxPerPayment }]) => ({
    service,
    dailyBudget: dailyBudget ?? '',
    monthlyBudget: monthlyBudget ?? '',
    maxPerPayment: maxPerPayment ?? '',
  }));
  return drafts.length === 0 ? [emptyServiceLimit] : drafts;
};

/** Merges limits that changed while their form was open: what the owner has not touched follows them. */
export const followedDrafts = (
  typed: readonly ServiceLimitDraft[],
  old: readonly ServiceLimitDraft[],
  next: readonly ServiceLimitDraft[],
): ServiceLimitDraft[] => {
  const at = (drafts: readonly ServiceLimitDraft[], service: string) =>
    drafts.find((draft) => draft.service === service);
  const kept = typed.flatMap((draft) => {
    const [before, after] = [at(old, draft.service), at(next, draft.service)];
    if (before === undefined) return [draft];
    if (after === undefined) return JSON.stringify(before) === JSON.stringify(draft) ? [] : [draft];
    return [followedDraft(draft, before, after)];
  });
  const added = next.filter(({ service }) => at([...typed, ...old], service) === undefined);
  return [...kept, ...added];
};

/** Each amount by itself, so that saving one does not undo the tightening of another. */
const followedDraft = (
  typed: ServiceLimitDraft,
  old: ServiceLimitDraft,
  next: ServiceLimitDraft,
): ServiceLimitDraft => {
  const amounts = serviceLimitFields.map((field) => [
    field,
    typed[field] === old[field] ? next[field] : typed[field],
  ]);
  return { ...typed, ...Object.fromEntries(amounts) };
};

/** Undefined for an empty amount, which sets no limit. */
const read = (amount: string) => parseUsdc(amount.trim()) ?? undefined;

/** Written as replies state them, so that equal amounts compare as equal. */
export const limitsOf = (drafts: readonly ServiceLimitDraft[]): ServiceLimits<string> => {
  const limits = drafts.map(({ service, dailyBudget, monthlyBudget, maxPerPayment }) => [
    service.trim(),
    {
      dailyBudget: read(dailyBudget),
      monthlyBudget: read(monthlyBudget),
      maxPerPayment: read(maxPerPayment),
    },
  ]);
  return serviceLimitsInReply(Object.fromEntries(limits) as ServiceLimits);
};

/** Null when they are limits, otherwise the first error. */
export const serviceLimitsRule = (drafts: readonly ServiceLimitDraft[], most: number): string | null => {
  if (drafts.length === 0) return 'Add a service.';
  if (drafts.length > most) return `At most ${most} services.`;
  const ids = drafts.map(({ service }) => service.trim());
  if (ids.includes('')) return 'Name each service.';
  if (new Set(ids).size < ids.length) return 'Name each service once.';
  const amounts = drafts.map((draft) =>
    serviceLimitFields.map((name) => draft[name].trim()).filter((amount) => amount !== ''),
  );
  if (amounts.some(({ length }) => length === 0)) return 'Enter an amount for each service.';
  return (
    amounts
      .flat()
      .map(limitRule)
      .find((error) => error !== null) ?? null
  );
};
