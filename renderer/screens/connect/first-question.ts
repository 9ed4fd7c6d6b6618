// The first thing to ask an agent that has just been connected.
import type { Snapshot } from '../../stores/treasury.ts';

export const firstQuestion = (network: Snapshot['network'] | undefined): string =>
  network === 'sandbox'
    ? 'What is the weather in Lisbon? Find a paid service for it with your treasury, and buy the answer.'
    : 'What can you pay for with your treasury, and within which limits?';
