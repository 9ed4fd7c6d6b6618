// Limits at single services. Free of zod, since the renderer reads them too.
import { formatUsdc, parseUsdc, usdcPattern, type Usdc } from '../../money.ts';

/** The limits at one service; at least one of them is set. */
export interface ServiceLimit<Amount = Usdc> {
  readonly dailyBudget?: Amount | undefined;
  readonly monthlyBudget?: Amount | undefined;
  readonly maxPerPayment?: Amount | undefined;
}

/** By the ids of the services. A service without an entry has no limit of its own. */
export type ServiceLimits<Amount = Usdc> = Readonly<Record<string, ServiceLimit<Amount>>>;

/** Of some services: null takes the limits at a service away. Services that it does not name keep theirs. */
export type ServiceLimitsChange<Amount = Usdc> = Readonly<Record<string, ServiceLimit<Amount> | null>>;

/** A change of limits or of a policy: fields that it leaves out stay as they are. */
export type ChangeOf<L extends { readonly serviceLimits: unknown }, Amount = Usdc> = {
  readonly [F in keyof L]?:
    | (F extends 'serviceLimits' ? ServiceLimitsChange<Amount> | null : L[F])
    | undefined;
};

/** In the order in which they are shown, each with its unit in a text. */
export const serviceLimitUnits = {
  dailyBudget: 'day',
  monthlyBudget: 'month',
  maxPerPayment: 'payment',
} as const satisfies Record<keyof ServiceLimit, string>;
export type ServiceLimitField = keyof typeof serviceLimitUnits;
export const serviceLimitFields = Object.keys(serviceLimitUnits) as ServiceLimitField[];

export const mostServiceLimits = 50;

/** The limits at a service; undefined for one without an entry. */
export const limitAt = <Amount>(
  limits: ServiceLimits<Amount> | null,
  serviceId: string,
): ServiceLimit<Amount> | undefined =>
  limits !== null && Object.hasOwn(limits, serviceId) ? limits[serviceId] : undefined;

/** The limits after a change, where null takes all of them away. Null when none are left. */
export const withServiceLimits = (
  limits: ServiceLimits | null,
  change: ServiceLimitsChange | null,
): ServiceLimits | null => {
  if (change === null) return null;
  const left = Object.entries({ ...limits, ...change }).flatMap(([serviceId, limit]) =>
    limit === null ? [] : [[serviceId, limit] as const],
  );
  return left.length === 0 ? null : mapServiceLimits(Object.fromEntries(left), (amount) => amount);
};

/** The change that leads from one to the other; null when they are equal. */
export const serviceLimitsChange = (
  from: ServiceLimits<string> | null,
  to: ServiceLimits<string> | null,
): ServiceLimitsChange<string> | null => {
  const change = Object.keys({ ...from, ...to }).flatMap((serviceId) => {
    const [before, after] = [from, to].map((limits) => limitAt(limits, serviceId) ?? null);
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [[serviceId, after ?? null] as const];
  });
  return change.length === 0 ? null : Object.fromEntries(change);
};

/** Every service that `from` limits is limited as much or more by `to`. */
export const isWithinServiceLimits = (from: ServiceLimits, to: ServiceLimits): boolean =>
  Object.entries(from).every(([serviceId, before]) =>
    serviceLimitFields.every((field) => {
      const [limit, after] = [before[field], limitAt(to, serviceId)?.[field]];
      return limit === undefined || (after !== undefined && after <= limit);
    }),
  );

/** The same limits with other amounts, by the names of the services, so that equal limits read alike. */
export const mapServiceLimits = <A, B>(
  limits: ServiceLimits<A>,
  convert: (amount: A) => B,
): ServiceLimits<B> =>
  Object.fromEntries(
    Object.entries(limits)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([serviceId, limit]) => [
        serviceId,
        Object.fromEntries(
          serviceLimitFields.flatMap((field) => {
            const amount = limit[field];
            return amount === undefined ? [] : [[field, convert(amount)]];
          }),
        ),
      ]),
  );

export const serviceLimitsInReply = (limits: ServiceLimits): ServiceLimits<string> =>
  mapServiceLimits(limits, formatUsdc);

/** Undefined when the value is none. */
export const readServiceLimits = (stated: unknown): ServiceLimits | undefined => {
  if (!isRecord(stated) || !Object.values(stated).every(isStatedLimit)) return undefined;
  return mapServiceLimits(stated as ServiceLimits<string>, (amount) => parseUsdc(amount) as Usdc);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isStatedLimit = (limit: unknown): boolean =>
  isRecord(limit) &&
  serviceLimitFields.every((field) => {
    const amount = limit[field];
    return amount === undefined || (typeof amount === 'string' && parseUsdc(amount) !== null);
  });

/** An id of other letters could read as part of a sentence, or as another limit: an agent may name any. */
export const shownId = (serviceId: string): string =>
  /^[\w.:/~%?=&#@+-]+$/.test(serviceId) && !/\/[a-z]+$/i.test(serviceId.replace(/^https?:\/\//, ''))
    ? serviceId
    : JSON.stringify(serviceId);

/** Nothing for no names; else one sentence for whoever set or reads the limits. */
export const unknownServicesSentence = (names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`No such service yet: ${names.map(shownId).join(', ')}.`];

/** `web-search 10/day 60/month 1/payment`, as the command takes and prints it. */
export const serviceLimitText = (serviceId: string, limit: ServiceLimit<string>): string =>
  [
    shownId(serviceId),
    ...serviceLimitFields.flatMap((field) => {
      const amount = limit[field];
      return amount === undefined ? [] : [`${amount}/${serviceLimitUnits[field]}`];
    }),
  ].join(' ');

/** The same of all services, with commas between them. */
export const serviceLimitsText = (limits: ServiceLimits<string>): string =>
  Object.entries(limits)
    .map(([serviceId, limit]) => serviceLimitText(serviceId, limit))
    .join(', ');

/** Reads such a text, in which `weather none` takes limits away; null when the text is none. Ids with spaces or commas cannot be written so. */
export const serviceLimitsIn = (text: string): ServiceLimitsChange<string> | null => {
  const found = text.split(',').map(entryIn);
  const entries = found.filter((entry) => entry !== null);
  const ids = new Set(entries.map(([serviceId]) => serviceId));
  return entries.length === found.length && ids.size === entries.length ? Object.fromEntries(entries) : null;
};

const entryIn = (text: string): [serviceId: string, ServiceLimit<string> | null] | null => {
  const [serviceId = '', ...words] = text.trim().split(/\s+/);
  if (words.length === 0) return null;
  if (words.length === 1 && words[0] === 'none') return [serviceId, null];
  const limit: Record<string, string> = {};
  for (const word of words) {
    const [amount = '', unit] = word.split('/');
    const field = serviceLimitFields.find((one) => serviceLimitUnits[one] === unit);
    if (field === undefined || limit[field] !== undefined || !usdcPattern.test(amount)) return null;
    limit[field] = amount;
  }
  return [serviceId, limit];
};

/** `10 USDC in 24 hours and 60 USDC in a calendar month`. */
export const serviceLimitWords = (limit: ServiceLimit<string>): string =>
  serviceLimitFields
    .flatMap((field) => {
      const amount = limit[field];
      return amount === undefined ? [] : [`${amount} USDC ${spans[field]}`];
    })
    .join(' and ');

const spans: Record<ServiceLimitField, string> = {
  dailyBudget: 'in any 24 hours',
  monthlyBudget: 'in a calendar month',
  maxPerPayment: 'in one payment',
};
