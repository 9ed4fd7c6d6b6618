// Bugs of entries that go through the proxy, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const file = 'test/cli/install-proxy.test.ts';
const proxied = 'server/cli/install/proxied.ts';

export const bugsOfInstall: readonly (Bug & TestTrial)[] = [
  {
    name: 'i01: an undo that forgets the comments of an entry',
    edits: one(
      proxied,
      'const text = proxied?.entry ?? host.format.find(before, name);',
      'const text = proxied?.entry ?? JSON.stringify(found);',
    ),
    file,
    title: 'is put back byte for byte, and its API key revoked: stdio',
  },
  {
    name: 'i02: a proxy before the proxy',
    edits: [
      {
        file: proxied,
        from: 'proxied === null ? found : formerOf({ host, file, before }, name, proxied);',
        to: 'found;',
      },
      { file: proxied, from: "name.startsWith('TREASURY_')", to: "name === 'TREASURY'" },
      {
        file: proxied,
        from: 'own.every((word, index) => command[index] === word)',
        to: 'false',
      },
    ],
    file,
    title: 'is set up once for an agent; for another it is made from its former text',
  },
  {
    name: 'i03: an API key that outlives the undo',
    edits: one(
      'server/cli/install/undo.ts',
      'const revoked = await revokeReplaced(owner, proxied);',
      'const revoked = true;',
    ),
    file,
    title: 'is put back byte for byte, and its API key revoked',
  },
  {
    name: 'i04: an API key for an entry that was not written',
    edits: one(
      'server/cli/install/entry.ts',
      "    await owner.ask('revokeKey', { params: { agentId, keyId } });\n    throw error;",
      '    throw error;',
    ),
    file,
    title: 'that cannot be written keeps its entry, and the API key is revoked',
  },
  {
    name: 'i05: the secrets of another server shown',
    edits: one(
      'server/cli/install/masked.ts',
      'shown.test(name) ? one : hidden',
      "name === 'TREASURY_API_KEY' ? hidden : one",
    ),
    file,
    title: 'and no secret of anybody',
  },
  {
    name: 'i06: an edit by hand overlooked',
    edits: one(proxied, 'digest !== digestOf(host, membersOf(values))', 'digest === null'),
    file,
    title: 'that was edited by hand is put back after that was said',
  },
];
