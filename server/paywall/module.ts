// What build/paywall.ts packs for authors of paid APIs; build/paywall/index.d.ts says the same in types.
export { createGrantStore } from './grant-store.ts';
export { keepRawBody, paywall } from './paywall.ts';
