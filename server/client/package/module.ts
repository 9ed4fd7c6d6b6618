// The package `agent-treasury-client`: a `fetch` that pays, and a typed client of /v1.
export { createTreasuryFetch, treasuryFetch } from './treasury-fetch.ts';
export type { TreasuryFetch, TreasuryFetchOptions, Waiting } from './treasury-fetch.ts';
export { paymentOf, type PaidAnswer } from './payment-of.ts';
export { TreasuryError } from './treasury-error.ts';
export type { TreasuryOptions } from './options.ts';
export { createClient, type AnswerOf, type CallOf, type TreasuryClient } from './api.ts';
