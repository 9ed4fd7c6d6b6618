// `npm run owner-life`: the life of life.ts, with and without a keychain, and an outage of two minutes.
//   --outage S   seconds of the outage (120); 0: none
//   --only-keychain, --no-keychain   one of the two
//   --shots DIR  pictures of the dashboard on the way
import process from 'node:process';
import { parseArgs } from 'node:util';
import { openIndependentChain } from '../../harness/chain/independent-chain.ts';
import { openSellers } from './buyer.ts';
import { openEyes } from './eyes.ts';
import { live } from './life.ts';
import type { Person } from './person.ts';

const { values } = parseArgs({
  options: {
    outage: { type: 'string', default: '120' },
    'only-keychain': { type: 'boolean', default: false },
    'no-keychain': { type: 'boolean', default: false },
    shots: { type: 'string' },
  },
});
const ways = [false, true].filter((has) => (has ? !values['no-keychain'] : !values['only-keychain']));

for (const hasKeychain of ways) {
  process.stdout.write(`${hasKeychain ? 'with' : 'without'} a keychain\n`);
  const chain = await openIndependentChain();
  const sellers = await openSellers(chain.rpcUrl);
  const people: Person[] = [];
  const eyes = values.shots === undefined ? null : await openEyes(values.shots);
  let last = performance.now();
  const done = (step: string): void => {
    const now = performance.now();
    process.stdout.write(`${((now - last) / 1_000).toFixed(1).padStart(7)} s  ${step}\n`);
    last = now;
  };
  try {
    await live({ chain, people, hasKeychain, sellers, eyes, outageMs: Number(values.outage) * 1_000, done });
  } finally {
    for (const person of people) await person.leave();
    await eyes?.close();
    await sellers.end();
    await chain.end();
  }
}
