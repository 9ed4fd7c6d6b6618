// A store without a host around it. A disk that fails is no part of these tests: they end with what it said.
import type { StopMarker, Store } from '../../server/engine/ports.ts';
import { createStore } from '../../server/store/store.ts';

const throwOn = (error: Error): never => {
  throw error;
};

export const openStore = (file: string, now: () => number = Date.now): Store =>
  createStore({ file, now, onHalt: throwOn });

/** For an engine without a data folder, whose database takes every stop. */
export const noStopMarker: StopMarker = {
  get: () => null,
  set() {
    throw new Error('the database took no stop');
  },
  clear() {},
};
