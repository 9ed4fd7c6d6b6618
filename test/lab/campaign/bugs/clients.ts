// Bugs of the clients for programs, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const folder = 'server/client/package';
const fetching = 'test/client/treasury-fetch.test.ts';

export const bugsOfClients: readonly (Bug & TestTrial)[] = [
  {
    name: 'client01: a program that is started again takes another idempotency key',
    edits: one(
      `${folder}/kept-keys.ts`,
      '.find((name) => name.startsWith(digest))',
      '.find((name) => name === digest)',
    ),
    file: fetching,
    title: 'is what an equal later request gets',
  },
  {
    name: 'client02: an answer counts as received once it has begun',
    edits: one(`${folder}/answer.ts`, 'if (isOpen) key.release();', 'if (isOpen) key.forget();'),
    file: fetching,
    title: 'is what an equal later request gets',
  },
  {
    name: 'client03: a seller’s error is taken for the treasury’s word',
    edits: one(`${folder}/treasury-fetch.ts`, '!isSellers(response)', '!isSellers(response) || !response.ok'),
    file: fetching,
    title: 'of a seller that speaks as the treasury does',
  },
  {
    name: 'client04: an error that was paid for is paid for again once it was read',
    edits: one(
      'build/python/agent_treasury/_paying.py',
      '            self.key.forget_later()',
      '            self.key.forget()',
    ),
    file: 'test/client/packages.test.ts',
    title: 'passes test_an_answer_that_delivers_nothing_is_that_of_equal_requests_for_ten_minutes',
  },
  {
    name: 'client05: the API key goes to a program that does not know it',
    edits: one(`${folder}/connection.ts`, 'await prove(place.url, identity.apiKey);', ''),
    file: 'test/client/api.test.ts',
    title: 'does not give its key to a program that does not know it',
  },
  {
    name: 'client06: Python asks by way of the environment’s proxy, without a proof',
    edits: [
      ...one('build/python/agent_treasury/_urllib.py', 'urllib.request.ProxyHandler({}), ', ''),
      ...one(
        'build/python/agent_treasury/_paying.py',
        '            check_proof(',
        '            0 and check_proof(',
      ),
    ],
    file: fetching,
    title: 'never gets the API key of urllib',
  },
];
