// Bugs of the public door, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const guard = 'server/http/guard.ts';
const door = 'test/http/door/public-door.test.ts';
const owner = 'test/http/door/public-owner.test.ts';
const exactly = 'passes with exactly its Host';

export const bugsOfTheTunnel: readonly (Bug & TestTrial)[] = [
  {
    name: 'tunnel01: any name that ends like the public host',
    edits: one(guard, 'host.toLowerCase() === publicHost', 'host.toLowerCase().endsWith(publicHost)'),
    file: door,
    title: exactly,
  },
  {
    name: 'tunnel02: any name that begins like the public host',
    edits: one(guard, 'host.toLowerCase() === publicHost', 'host.toLowerCase().startsWith(publicHost)'),
    file: door,
    title: exactly,
  },
  {
    name: 'tunnel03: pages of the one door admitted at the other',
    edits: one(guard, 'hasHost, origins: [publicUrl] }', 'hasHost, origins: [publicUrl, ...local.origins] }'),
    file: door,
    title: exactly,
  },
  {
    name: 'tunnel04: a forwarded host that is believed',
    edits: one(
      guard,
      "const hosts = headers(request, 'host');",
      "const said = headers(request, 'x-forwarded-host');\n  const hosts = said.length === 1 ? said : headers(request, 'host');",
    ),
    file: door,
    title: 'any word of a proxy',
  },
  {
    name: 'tunnel05: the cookie file’s token through the tunnel',
    edits: one(
      'server/http/owner-token.ts',
      'cookies.endOf(token, door) ??',
      "cookies.endOf(token, 'local') ??",
    ),
    file: owner,
    title: 'no route takes a credential of the owner',
  },
  {
    name: 'tunnel06: a one-time login through the tunnel',
    edits: one(
      'server/http/owner-token.ts',
      'takeLogin: (login, door) => logins.remove(login, door),',
      "takeLogin: (login) => logins.remove(login, 'local'),",
    ),
    file: owner,
    title: 'a login by file or by one-time address',
  },
  {
    name: 'tunnel07: sessions that outlive the switch',
    edits: one('server/host/serve.ts', "() => tokens.revokeAt('public', 'not_here')", '() => {}'),
    file: owner,
    title: 'the switch is turned off',
  },
  {
    name: 'tunnel08: a switch for every address',
    edits: one('server/http/public-address.ts', 'ownerSessionsAt === url', 'ownerSessionsAt !== null'),
    file: owner,
    title: 'gives way to the address of the start',
  },
  {
    name: 'tunnel09: a session of the one door that counts at the other',
    edits: one(
      'server/http/sessions.ts',
      'one.hash === hash && one.door === door && one.ended === null',
      'one.hash === hash && one.ended === null',
    ),
    file: owner,
    title: 'a token for that door alone',
  },
  {
    name: 'tunnel10: a page let in across the doors',
    edits: one(
      'server/http/sessions.ts',
      'if (admission?.door !== door) return null;',
      'if (admission === undefined) return null;',
    ).concat(
      one('server/http/page-tickets.ts', 'update(`${id} ${url}`)', 'update(`${id} ${url.length > 0}`)'),
    ),
    file: owner,
    title: 'a page cannot cross',
  },
  {
    name: 'tunnel11: the address changed through the tunnel',
    edits: one(
      'server/http/public-address.ts',
      "if (door.name !== 'local')\n",
      "if (door.name === 'public' && door.url === '')\n",
    ),
    file: owner,
    title: 'the address is changed on this machine alone',
  },
  {
    name: 'tunnel12: strangers without number',
    edits: one('server/http/public-limit.ts', 'strangers.count(name);', ''),
    file: owner,
    title: 'share one limit',
  },
  {
    name: 'tunnel13: a valid key that strangers keep out',
    edits: one(
      'server/http/public-limit.ts',
      "name === 'public' && !isKnown(request, credentials)",
      "name === 'public'",
    ),
    file: owner,
    title: 'share one limit',
  },
  {
    name: 'tunnel14: passphrase tries that the doors share',
    edits: one('server/http/logins.ts', '`${callerOf(caller)} at ${door.name}`', '`${callerOf(caller)}`'),
    file: owner,
    title: 'use up no passphrase tries',
  },
  {
    name: 'tunnel15: far requests in the room of near ones',
    edits: one(
      'server/lib/waiting-room.ts',
      'one.isKnown === isKnown && one.door === door',
      'one.isKnown === isKnown',
    ),
    file: owner,
    title: 'push no login and no link',
  },
  {
    name: 'tunnel16: the treasury asks its own public address',
    edits: one(
      'server/http/public-address.ts',
      '[local, url()].filter((one) => one !== null)',
      '[local, url()].slice(0, 1).filter((one) => one !== null)',
    ),
    file: owner,
    title: 'asks nothing of',
  },
  {
    name: 'tunnel17: a passphrase that is proven while the door closes',
    edits: one(
      'server/http/logins.ts',
      '  // The owner may have closed the door meanwhile.\n  refuseOwnerAt(desk, door);\n',
      '',
    ),
    file: owner,
    title: 'opens neither a session nor a terminal',
  },
  {
    name: 'tunnel18: a new address that begins with the switch on',
    edits: one(
      'server/http/public-address.ts',
      'ownerSessions ?? (url === before.url && before.ownerSessions)',
      'ownerSessions ?? before.ownerSessions',
    ),
    file: owner,
    title: 'keeps it at the same',
  },
  {
    name: 'tunnel19: a session that ended while the body arrived',
    edits: one(
      'server/http/router.ts',
      "      if (caller.role === 'owner') whileSignedIn(request, response, credentials);\n",
      '',
    ),
    file: owner,
    title: 'whose body was still to arrive',
  },
  {
    name: 'tunnel20: headers of a tunnel that reach sellers and tell requests apart',
    edits: one(
      'server/http/proxy/headers.ts',
      "    if (door === 'public' && isOfATunnel(low)) continue;\n",
      '',
    ),
    file: 'test/http/proxy/headers.test.ts',
    title: 'what a tunnel adds',
  },
  {
    name: 'tunnel21: a document of the owner that outlives the sign-in',
    edits: one('server/http/auth.ts', 'credentials.onOwnerEnd(token, name, breakOff)', '() => {}'),
    file: owner,
    title: 'and a document on its way breaks off',
  },
  {
    name: 'tunnel22: a refused CONNECT whose reset ends the host',
    edits: one('server/lib/net/refuse-socket.ts', "  socket.on('error', () => {});\n", ''),
    file: 'test/http/door/guard.test.ts',
    title: 'does not end the host',
  },
  {
    name: 'tunnel23: a tunnel’s request that names the local address',
    edits: one(
      'server/http/guard.ts',
      'rawHeaders.some((text, index) =>',
      'rawHeaders.every((text, index) =>',
    ),
    file: 'test/http/door/public-door.test.ts',
    title: 'is the same with any word of a proxy',
  },
  {
    name: 'tunnel24: a full socket that keeps the host from ending',
    edits: one(
      'server/lib/closing.ts',
      'for (const socket of sockets) socket.destroy();',
      'server.closeAllConnections();',
    ),
    file: 'test/http/door/guard.test.ts',
    title: 'does not keep the host from ending',
  },
];
