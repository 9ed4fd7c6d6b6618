// The exports that build/paywall.ts packs for authors of paid APIs; build/paywall/index.d.ts repeats it as types.
export { createGrantStore } from './grant-store.ts';
export { keepRawBody, paywall } from './paywall.ts';
