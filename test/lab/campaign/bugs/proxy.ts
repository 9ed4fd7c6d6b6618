// Bugs of the proxy that pays, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const headers = 'server/http/proxy/headers.ts';
const live = 'server/engine/purchase/live.ts';
const proxy = 'server/engine/purchase/proxy.ts';
const passing = 'test/http/proxy/headers.test.ts';
const paid = 'test/http/proxy/paid.test.ts';

export const bugsOfTheProxy: readonly (Bug & TestTrial)[] = [
  {
    name: 'proxy01: the agent’s key goes on to the seller',
    edits: one(headers, "if (keys.has(low) || low.startsWith('x-treasury-') ||", 'if ('),
    file: passing,
    title: 'is removed, and the other headers are the seller’s',
  },
  {
    name: 'proxy02: the seller’s cookies pass',
    edits: [
      ...one(headers, "  'set-cookie',\n", ''),
      ...one('server/engine/purchase/show.ts', "name !== 'set-cookie'", "name !== ''"),
    ],
    file: passing,
    title: 'that act on the origin are dropped',
  },
  {
    name: 'proxy03: a client’s own repetition pays again',
    edits: one(proxy, 'const continues = key === null ? 1 : null;', 'const continues = null;'),
    file: paid,
    title: 'is not paid twice when the client goes away',
  },
  {
    name: 'proxy05: an answer is kept however large it is',
    edits: one(live, 'if (bytes > limits.keptBytes) return drop();', ''),
    file: paid,
    title: 'cannot be had again; nothing is paid again',
  },
  {
    name: 'proxy06: the owner’s limit of an answer is not looked at',
    edits: one('server/engine/purchase/limits.ts', 'mostBytes: answers.streamBytes,', 'mostBytes: Infinity,'),
    file: paid,
    title: 'is cut off there',
  },
  {
    name: 'proxy07: an answer that broke off ends as if it were whole',
    edits: one(
      proxy,
      "if (answer !== undefined || row.purchase?.delivery === 'delivered') return;",
      'if (row) return;',
    ),
    file: paid,
    title: 'breaks off where the seller does',
  },
  {
    name: 'proxy08: an idempotency conflict in a way that clients repeat',
    edits: one('server/http/proxy/proxy.ts', 'const repeated = [409, 503];', 'const repeated = [503];'),
    file: paid,
    title: 'is refused in a way that no client repeats',
  },
  {
    name: 'proxy09: another secret of ours leaves in the query',
    edits: one('server/http/own-secrets.ts', '.flat(2), address]', '.flat(2)]'),
    file: passing,
    title: 'in the query does not leave',
  },
  {
    name: 'proxy10: a page of the dashboard’s own origin may use the proxy',
    edits: one('server/http/proxy/proxy.ts', 'headers.origin !== undefined ||', ''),
    file: passing,
    title: 'gets its own dashboard’s origin refused',
  },
  {
    name: 'proxy11: a fully sent answer goes on answering equal requests',
    edits: one(
      proxy,
      'if ((await reader.end()) && id !== null)',
      'if (!(await reader.end()) && id !== null)',
    ),
    file: paid,
    title: 'is paid again for an equal request whose answer was sent whole',
  },
];
