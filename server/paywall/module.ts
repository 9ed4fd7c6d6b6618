// The exports that build/paywall.ts packs for authors of paid APIs.
export { discovery, type About, type Discovery } from './discovery.ts';
export { createGrantStore } from './store/grant-store.ts';
export { readKeyFile } from './key-file.ts';
export { keepRawBody, paywall } from './paywall.ts';
export type * from './store/invoice-store.ts';
export type { Route, Schema } from './route.ts';
export type * from './types.ts';
