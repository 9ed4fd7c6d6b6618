// One error class with a code from a closed list. Each code has its HTTP status and the end of a command here, the owner's
// sentence in contract/refusals/to-owner.ts, and the caller's next step in contract/refusals/to-agent.ts.

/** How a command ends; the command's exit codes say more. */
export type RefusedEnd =
  | 'failed'
  | 'usage'
  | 'ownersWord'
  | 'undelivered'
  | 'notAllowed'
  | 'refused'
  | 'stopped'
  | 'notNow'
  | 'underWay';

interface CodeFacts {
  /** HTTP */
  status: number;
  end: RefusedEnd;
  /** Set where only a change of a rule by the owner lifts the refusal. Money, fees and times vary by themselves. */
  isRule?: true;
}

export const codeTable = {
  bad_request: { status: 400, end: 'usage' },
  // A request to a model whose most cannot be known before it is sent
  field_unbounded: { status: 400, end: 'usage' },
  input_unbounded: { status: 400, end: 'usage' },
  // Several suppliers have a model of this id
  model_ambiguous: { status: 400, end: 'usage' },
  unauthorized: { status: 401, end: 'notAllowed' },
  key_ended: { status: 401, end: 'notAllowed' },
  // Policy refusals, and payments that the wallet cannot cover
  max_per_payment: { status: 402, end: 'refused', isRule: true },
  daily_budget: { status: 402, end: 'refused', isRule: true },
  weekly_budget: { status: 402, end: 'refused', isRule: true },
  monthly_budget: { status: 402, end: 'refused', isRule: true },
  total_budget: { status: 402, end: 'refused', isRule: true },
  payment_rate: { status: 402, end: 'refused' },
  service_limit: { status: 402, end: 'refused', isRule: true },
  outside_hours: { status: 402, end: 'refused' },
  expired: { status: 402, end: 'refused', isRule: true },
  owner_ceiling: { status: 402, end: 'refused', isRule: true },
  cooldown: { status: 402, end: 'refused' },
  service_not_allowed: { status: 402, end: 'refused', isRule: true },
  service_blocked: { status: 402, end: 'refused', isRule: true },
  model_not_allowed: { status: 402, end: 'refused', isRule: true },
  // Of a request to a language model, which waits for no single approval
  approval_needed: { status: 402, end: 'refused', isRule: true },
  // Neither the owner nor the price list says what it costs
  model_unpriced: { status: 402, end: 'refused', isRule: true },
  insufficient_balance: { status: 402, end: 'refused' },
  fee_limit: { status: 402, end: 'refused' },
  rent_limit: { status: 402, end: 'refused' },
  approval_denied: { status: 402, end: 'refused' },
  approval_expired: { status: 402, end: 'refused' },
  approval_cancelled: { status: 402, end: 'refused' },
  // The proxy's words for what is not over: a 202 would be taken for the seller's answer
  awaiting_approval: { status: 402, end: 'ownersWord' },
  payment_pending: { status: 402, end: 'underWay' },
  forbidden: { status: 403, end: 'notAllowed' },
  suspended: { status: 403, end: 'stopped' },
  frozen: { status: 403, end: 'stopped' },
  not_found: { status: 404, end: 'failed' },
  conflict: { status: 409, end: 'failed' },
  idempotency_conflict: { status: 409, end: 'failed' },
  // Paid and delivered through the proxy, and larger than what is kept for a repetition; or sent to a model once
  answer_not_kept: { status: 409, end: 'failed' },
  too_large: { status: 413, end: 'usage' },
  unsupported_media_type: { status: 415, end: 'usage' },
  too_many_requests: { status: 429, end: 'notNow' },
  answers_full: { status: 429, end: 'notNow' },
  internal: { status: 500, end: 'failed' },
  not_available: { status: 501, end: 'failed' },
  payment_failed: { status: 502, end: 'failed' },
  not_delivered: { status: 502, end: 'undelivered' },
  // Possibly paid: the caller's own limits cut the answer off, so the seller is not to blame
  answer_too_large: { status: 502, end: 'failed' },
  answer_too_slow: { status: 502, end: 'failed' },
  generation_failed: { status: 502, end: 'failed' },
  chain_unreachable: { status: 503, end: 'notNow' },
  fees_exhausted: { status: 503, end: 'notNow' },
  locked: { status: 503, end: 'stopped' },
  halted: { status: 503, end: 'notNow' },
  clock_unsafe: { status: 503, end: 'stopped' },
  disk_low: { status: 503, end: 'notNow' },
} as const satisfies Readonly<Record<string, CodeFacts>>;

export type ErrorCode = keyof typeof codeTable;
export const errorCodes = Object.keys(codeTable) as ErrorCode[];
/** Only a change of a rule by the owner lifts it. */
export const isRule = (code: ErrorCode): boolean => 'isRule' in codeTable[code];
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** A refusal or failure reported to the caller. `message` is for people, `code` for programs. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return codeTable[this.code].status;
  }
}

/** The fault of each field of a request, as half a sentence: `{ amount: 'must be greater than zero' }`. */
export type FieldErrors = Readonly<Record<string, string>>;

/** A refusal that names fields, in its message for people and in `details.fields` for programs. */
export const fieldErrors = (fields: FieldErrors, code: ErrorCode = 'bad_request'): AppError => {
  const named = Object.entries(fields).map(([field, message]) => `${field}: ${message}`);
  return new AppError(code, `${named.join('; ')}.`, { fields });
};

/** @param field a nested one by its path, such as `mailServer.port` */
export const fieldError = (field: string, message: string, code?: ErrorCode): AppError =>
  fieldErrors({ [field]: message }, code);

/** Whether this is the body of a treasury's refusal: others name codes too, and not those of the list. */
export const isRefusal = (answer: unknown): boolean => {
  const { code } = (answer ?? {}) as { code?: unknown };
  return typeof code === 'string' && Object.hasOwn(codeTable, code);
};

/** Rebuilds the error from an HTTP reply; a missing field gets a default, and so does an unknown code. */
export const refusalOf = (status: number, answer: unknown): AppError => {
  const { error, code, details } = (answer ?? {}) as {
    error?: string;
    code?: ErrorCode;
    details?: Record<string, unknown>;
  };
  const known = isRefusal(answer) ? code : undefined;
  return new AppError(known ?? 'internal', error ?? `The treasury answered ${status}.`, details);
};

/** Asserts what must hold; stays on in production. @throws Error, which callers see as "Internal error" */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`);
}

/** For the end of an exhaustive switch. */
export const unreachable = (value: never): never => {
  throw new Error(`Unreachable: ${String(value)}`);
};
