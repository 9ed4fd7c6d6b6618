// When two requests are equal to a client that resumes a purchase without an answer, and when a purchase has its answer:
// one definition for the treasury and its clients, in JavaScript and in Python (build/python.ts).

/** Fields of a request that may differ: the same thing is still bought. */
export const fieldsNotCompared: ReadonlySet<string> = new Set([
  'maxAmount',
  'reason',
  'timeoutSeconds',
  'maxBytes',
  // A server may word each demand anew. The request that it is for is compared.
  'demand',
]);

/**
 * Headers that say what is asked, and who asks: a request with another value is another request. All others may differ,
 * since clients and tracers set many anew for each try, under names that nobody can list.
 */
export const headersCompared = new RegExp(
  [
    '^(?!content-length$|x-treasury-|x-stainless-|(?:.*-)?idempotency-key$)(?:',
    // RFC 9110 and 7240; WebDAV, server-sent events, SOAP.
    'accept(?:-.*)?|content-.*|range|if-.*|prefer|depth|destination|last-event-id|soapaction|',
    'authorization|cookie|(?:.*-)?(?:key|apikey|token|auth|secret)|',
    '(?:.*-)?(?:user|account|tenant|customer|org|organi[sz]ation|project|workspace|deployment)(?:-id)?|',
    // As in anthropic-version, openai-beta, x-goog-fieldmask, x-amz-target, x-rapidapi-host, x-http-method-override.
    '(?:.*-)?(?:version|betas?|preview|features?|model|target|host|method|override|fieldmask|fields|region|locale|language|units?|currency|format|arg|source|selector)',
    ')$',
  ].join(''),
);

/** @param name in lower case */
export const isHeaderCompared = (name: string): boolean => headersCompared.test(name);

/** The statuses of an answer that delivers what was paid for. A redirect or an error is none. */
export const deliveries = { first: 200, last: 299 };

export const isDelivery = ({ status }: { status: number }): boolean =>
  status >= deliveries.first && status <= deliveries.last;

/**
 * For so long, in milliseconds, a paid answer that delivers nothing goes on answering equal requests, though its client
 * has it whole: programs that repeat a request by themselves do so sooner, and would pay each time.
 */
export const repeatedWithinMs = 600_000;
