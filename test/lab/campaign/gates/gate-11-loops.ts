// Gate 11: the tests with long loops, at full length. `npm test` runs a part of each loop.
import { createGate } from '../gate.ts';
import { suite } from '../suite.ts';

export const gate = createGate(11, 'the loops of the tests, to their end', {
  engine: suite(
    'test/engine/invariant-1.test.ts',
    'test/engine/invariant-4.test.ts',
    'test/engine/invariant-8.test.ts',
    'test/engine/crash.test.ts',
    'test/engine/generation-crash.test.ts',
    'test/world/world.test.ts',
  ),
  'over HTTP': suite(
    'test/http/hostile/hostile-agent.test.ts',
    'test/http/hostile/hostile-delegate.test.ts',
    'test/http/approvals.test.ts',
    'test/http/contract/noise.test.ts',
  ),
  'requests to language models': suite(
    'test/models/coder.test.ts',
    'test/models/hostile.test.ts',
    'test/models/streams.test.ts',
  ),
  paywall: suite(
    'test/paywall/receipts.test.ts',
    'test/paywall/dialects.test.ts',
    'test/paywall/official.test.ts',
    'test/paywall/once.test.ts',
    'test/paywall/package.test.ts',
    'test/paywall/settle-hostile.test.ts',
  ),
  'words of phones': suite('test/remote-words/freeze.test.ts'),
  'messages to sign, and of a page': suite(
    'test/vault/signer-fuzz.test.ts',
    'test/electron/hostile-page.test.ts',
  ),
  starts: suite(
    'test/store/database.test.ts',
    'test/store/spending.test.ts',
    'test/host/many-undecided.test.ts',
  ),
  bridges: suite('test/mcp/many-bridges.test.ts', 'test/mcp/life.test.ts'),
  'books of other programs': suite('test/books/formats/read-by-programs.test.ts'),
  'official sellers': suite('test/x402/official/sellers.test.ts'),
  sandbox: suite('test/sandbox/durability.test.ts'),
  'lost answers': suite('test/x402/lost-answers.test.ts'),
  imports: suite('test/catalog/bazaar.test.ts', 'test/store/search.test.ts'),
  'screens at all widths, and a long list': suite('test/renderer/live.test.ts', 'test/renderer/tour.test.ts'),
  notices: suite('test/notices/kill.test.ts'),
  backups: suite('test/backup/backup.test.ts', 'test/backup/restore.test.ts'),
});
