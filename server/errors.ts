// One error class with a code from a closed list; one table maps codes to HTTP statuses.

export const statusOfCode = {
  bad_request: 400,
  unauthorized: 401,
  key_ended: 401,
  // Policy refusals, and payments that the wallet cannot cover
  max_per_payment: 402,
  daily_budget: 402,
  weekly_budget: 402,
  monthly_budget: 402,
  total_budget: 402,
  payment_rate: 402,
  service_limit: 402,
  outside_hours: 402,
  expired: 402,
  owner_ceiling: 402,
  cooldown: 402,
  service_not_allowed: 402,
  service_blocked: 402,
  insufficient_balance: 402,
  fee_limit: 402,
  rent_limit: 402,
  approval_denied: 402,
  approval_expired: 402,
  approval_cancelled: 402,
  // The proxy's words for what is not over: a 202 would be taken for the seller's answer
  awaiting_approval: 402,
  payment_pending: 402,
  forbidden: 403,
  suspended: 403,
  frozen: 403,
  not_found: 404,
  conflict: 409,
  idempotency_conflict: 409,
  // Paid and delivered through the proxy, and larger than what is kept for a repetition
  answer_not_kept: 409,
  too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  answers_full: 429,
  internal: 500,
  not_available: 501,
  payment_failed: 502,
  not_delivered: 502,
  // Possibly paid: the caller's own limits cut the answer off, so the seller is not to blame
  answer_too_large: 502,
  answer_too_slow: 502,
  generation_failed: 502,
  chain_unreachable: 503,
  fees_exhausted: 503,
  locked: 503,
  halted: 503,
  clock_unsafe: 503,
  disk_low: 503,
} as const;

export type ErrorCode = keyof typeof statusOfCode;
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
    return statusOfCode[this.code];
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
  return typeof code === 'string' && Object.hasOwn(statusOfCode, code);
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
