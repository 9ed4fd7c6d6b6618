// The parts of the engine that the books are made of.
import type { EngineContext } from '../engine/calls/call.ts';

export type BooksContext = Pick<
  EngineContext,
  'store' | 'settings' | 'time' | 'funds' | 'chain' | 'keys' | 'newId' | 'publish' | 'log'
>;

export { zoneOf } from '../engine/calls/zone.ts';
