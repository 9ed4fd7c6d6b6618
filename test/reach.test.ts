// `npm run test:changed` finds a test by what it imports, and by the programs that it starts.
import { describe, expect, it } from 'vitest';
import { reachedTests } from '../build/reach.ts';

describe('a change', () => {
  it.each([
    ['the program of the host', 'server/main.ts', 'test/host/first-start.test.ts'],
    ['what the host imports', 'server/host/announce.ts', 'test/host/first-start.test.ts'],
    ['the bridge', 'server/mcp/main.ts', 'test/mcp/life.test.ts'],
    ['the command', 'server/cli/payments/withdraw.ts', 'test/cli/executable.test.ts'],
    ['the dashboard', 'renderer/main.tsx', 'test/renderer/story.test.ts'],
    ['a script that a document types', 'server/cli/treasury/backup.ts', 'test/host/moving-page.test.ts'],
    ['a document', 'build/docs/security.md', 'test/docs.test.ts'],
  ])('of %s reaches its tests', (_what, file, test) => {
    expect(reachedTests([file])).toContain(test);
  });

  it('of one leaf leaves out what cannot depend on it', () => {
    expect(reachedTests(['server/cli/payments/withdraw.ts'])).not.toContain('test/engine/windows.test.ts');
  });

  it('of the dashboard leaves out a test that starts a host without it', () => {
    expect(reachedTests(['renderer/main.tsx'])).not.toContain('test/http/door/guard.test.ts');
  });

  it('of nothing reaches nothing, and of the packages everything', () => {
    expect(reachedTests([])).toEqual([]);
    expect(reachedTests(['package-lock.json'])).toBeNull();
  });
});
