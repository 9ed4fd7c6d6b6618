// When two requests are equal to a client that resumes a purchase without an answer (`Prefer: continue`).

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
 * Headers of a request through the proxy that may differ: those that clients and tracers set anew for each try, the
 * idempotency key, which a request without a key of ours goes without, and those for the treasury itself.
 */
export const headersOfATry =
  /^(?:x-stainless-.*|x-retry-.*|.*-retry-(?:count|attempt)|retry-attempt|traceparent|tracestate|baggage|b3|x-b3-.*|sentry-trace|x-datadog-.*|x-cloud-trace-context|x-amzn-trace-id|amz-sdk-.*|x-request-id|request-id|x-correlation-id|x-client-request-id|x-request-start|date|idempotency-key|x-treasury-.*)$/;

/** @param name in lower case */
export const isHeaderCompared = (name: string): boolean => !headersOfATry.test(name);
