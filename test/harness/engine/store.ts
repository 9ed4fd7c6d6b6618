// A store without a host around it. These tests do not cover a failing disk: its error ends them.
import type { StopMarker, Store } from '../../../server/engine/ports.ts';
import { createStore } from '../../../server/store/store.ts';

const throwOn = (error: Error): never => {
  throw error;
};

export const openStore = (file: string, now: () => number = Date.now): Store =>
  createStore({ file, now, onHalt: throwOn });

/** For an engine without a data folder, whose database records every stop. */
export const noStopMarker: StopMarker = {
  get: () => null,
  set() {
    throw new Error('the database did not record the stop');
  },
  clear() {},
};
