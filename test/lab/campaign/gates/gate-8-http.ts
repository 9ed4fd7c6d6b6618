// Gate 8: the port, against raw sockets, a foreign web page, idle connections and the wrong owner.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { missingTools } from '../../../../build/setup.ts';
import { routes, type Route } from '../../../../server/contract/routes.ts';
import { createClient } from '../../../harness/http-client.ts';
import { residentMb } from '../../bench/resident.ts';
import type { TestAgent } from '../../../harness/treasury.ts';
import { hasTunnel, openTunnel } from '../../../harness/programs/tunnel.ts';
import { cors, guardedMethods } from '../../../http/door/guarded.ts';
import { judge, noFaults, noisyRequest, publicHost } from '../../../http/contract/noise.ts';
import { requestText, sendRaw } from '../../../http/contract/raw.ts';
import { hostileNeighbours, largeAnswers } from './gate-8-flood.ts';
import { createGate, inParallel, type Sheet } from '../gate.ts';
import { hosts, isOwnHost, isOwnOrigin, origins } from './hostile-requests.ts';
import { visitHostileSite } from './hostile-site.ts';
import { createWorld, deployIn, fund, settle, type Life, type World } from '../world.ts';

interface Place {
  world: World;
  life: Life;
  port: number;
  owner: string;
  agent: TestAgent;
  /** Everything that a request could have changed, as the owner sees it. */
  look(): Promise<string>;
}

const seen = [
  '/v1/agents',
  '/v1/agents/payer/policy',
  '/v1/agents/payer/keys',
  '/v1/agents/payer/spend-history?limit=500',
  '/v1/approvals',
  '/v1/grants',
  '/v1/treasury/policy',
  '/v1/treasury/deposits',
  '/v1/identities',
  '/v1/dashboard',
];

const open = async ({ stage }: Sheet): Promise<Place> => {
  const world = await createWorld(stage);
  const life = await world.life();
  await fund(life, '100');
  const agent = await deployIn(life, 'payer', { dailyBudget: '100', maxPerPayment: '1', allocate: '20' });
  const { url, owner } = life.host.ready;
  const look = async (): Promise<string> => {
    const answers = await Promise.all(seen.map((path) => life.client.get(path)));
    // Anybody may ask for a link or a login; that changes nothing until the owner approves.
    // The chain is read now and then, so early fees show late.
    const asks = /"(pendingLinks|pendingLogins|sol|transfersLeft|asOf)":[^,}]+/g;
    return answers.map(({ status, text }) => `${status} ${text.replaceAll(asks, '')}`).join('\n');
  };
  return { world, life, port: Number(new URL(url).port), owner, agent, look };
};

const differences = (before: string, after: string): string[] => {
  const now = after.split('\n');
  return before
    .split('\n')
    .flatMap((line, index) => (line === now[index] ? [] : [`${line} -> ${now[index]}`]));
};

const guard = async (sheet: Sheet): Promise<void> => {
  const { exactly, none } = sheet;
  const { life, port, owner, look } = await open(sheet);
  const token = readFileSync(life.host.ready.cookieFile, 'utf8');
  const before = await look();
  const wrong: string[] = [];
  let asked = 0;
  const jobs = Object.entries(guardedMethods).flatMap(([method, [target, passes]]) =>
    hosts.flatMap((host) => origins.map((origin) => ({ method, target, passes, host, origin }))),
  );
  const withPort = (text: string): string => text.replaceAll(/\bP\b|(?<=0)P|P(?=0)/g, String(port));
  await inParallel(48, jobs, async ({ method, target, passes, host, origin }) => {
    const headers = [
      `Host: ${withPort(host)}`,
      ...(origin === undefined ? [] : [`Origin: ${withPort(origin)}`]),
      `Authorization: Bearer ${token}`,
      'Connection: close',
    ];
    const text = requestText({ method, target: `${target}?owner=${owner}`, headers });
    const { status, head } = await sendRaw(port, Buffer.from(text, 'latin1'));
    asked += 1;
    const fine =
      isOwnHost(host) && isOwnOrigin(origin) ? status === passes : status === 403 || status === 400;
    if (!fine) wrong.push(`${method}, Host ${host}, Origin ${origin ?? 'none'}: ${status}`);
    if (cors.test(head)) wrong.push(`${method}, Host ${host}: a CORS header`);
  });
  exactly('combinations of Host, Origin and method', asked, 2_160);
  none('combinations answered otherwise', wrong);
  none('changes of state by them', differences(before, await look()));
};

const noise = async (sheet: Sheet): Promise<void> => {
  const { dice, short, say, exactly, atMost, none, tell, skip } = sheet;
  const [warmUp, count] = short ? [500, 2_000] : [10_000, 100_000];
  const { life, port, owner, agent, look } = await open(sheet);
  await life.client.post('/v1/public-address', { url: `https://${publicHost}` });
  const before = await look();
  const faults = noFaults();
  const statuses = new Map<number, number>();
  let sent = 0;
  const send = async (): Promise<void> => {
    const bytes = noisyRequest(dice, port, owner);
    const answer = await sendRaw(port, bytes, 60).catch((error: unknown) => {
      faults.crashed.push(`${String(error)} after ${JSON.stringify(bytes.toString('latin1').slice(0, 300))}`);
      return null;
    });
    sent += 1;
    if (!short && sent % 20_000 === 0) say(`${sent} requests`);
    if (answer === null) return;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    judge(bytes, answer, faults);
  };
  await inParallel(64, Array.from({ length: warmUp }), send);
  const { pid } = life.host.ready;
  const early = residentMb(pid);
  await inParallel(64, Array.from({ length: count }), send);
  const late = residentMb(pid);
  exactly('fuzzed requests on raw sockets', sent - warmUp, count);
  none('crashes and 5xx', faults.crashed);
  none('2xx for nobody', faults.letIn);
  none('words from inside', faults.told);
  none('changes of state by noise', differences(before, await look()));
  const paid = await agent.pay('0.01');
  exactly('a payment afterwards', paid.status, 200);
  if (early === null || late === null) skip('memory growth', 'cannot be asked on this system');
  else {
    atMost('memory growth, MB', Math.round((late - early) * 10) / 10, 50, ' MB');
    tell('resident memory at the end, MB', Math.round(late));
  }
  tell(
    'answers',
    [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, n]) => `${status}: ${n}`)
      .join(', '),
  );
};

const idle = async (sheet: Sheet): Promise<void> => {
  const { short, exactly, atMost, none, tell } = sheet;
  const pays = short ? 40 : 200;
  const { world, life, port, agent } = await open(sheet);
  const idles: Socket[] = [];
  await inParallel(
    50,
    Array.from({ length: 500 }, (_, n) => n),
    (n) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1');
        idles.push(socket);
        socket.once('error', reject);
        socket.once('connect', () => {
          socket.off('error', reject).on('error', () => {});
          // Half of the connections have begun a request.
          if (n % 2 === 0) socket.write('POST /v1/freeze HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
          resolve();
        });
      }),
  );
  const { url, owner } = life.host.ready;
  const failed: string[] = [];
  const times: number[] = [];
  for (let n = 0; n < pays; n += 1) {
    // On a connection of its own: an open one would prove nothing.
    const client = createClient(url, owner, agent.key, 1);
    const begin = performance.now();
    const answer = await client.post('/v1/agents/payer/pay', {
      service: 'sandbox-weather',
      amount: '0.01',
      currency: 'USDC',
    });
    times.push(performance.now() - begin);
    client.close();
    if (answer.status !== 200) failed.push(`${answer.status} ${answer.text}`);
  }
  const stillOpen = idles.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length;
  for (const socket of idles) socket.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = Math.round((sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0) * 10) / 10;
  const { faults } = await settle(world);
  exactly('idle connections', idles.length, 500);
  exactly('payments on fresh connections beside them', pays - failed.length, pays);
  none('payments that failed', failed);
  // Durations mean little on a machine that runs other tests at the same time.
  if (short) tell('p99 of those payments, ms', p99);
  else atMost('p99 of those payments, ms', p99, 250, ' ms');
  none('differences between treasury and chain, beside idle connections', faults);
  tell('idle connections still open at the end', stillOpen);
};

const bodies: Readonly<Record<string, object>> = {
  pay: { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' },
  fetch: { url: 'https://example.com/' },
  setPolicy: { maxPerPayment: '0.5' },
  rename: { displayName: 'taken over' },
  deploy: { agentId: 'taken', dailyBudget: '1', maxPerPayment: '1' },
  allocate: { amount: '1' },
  recall: { amount: '1' },
  setCeiling: { dailyBudget: '1' },
  withdraw: { asset: 'USDC', to: '7oPPoaxGhcEAKNQZPKQ1nQ2V63K6rJnAbvkL8XUUHGRa', amount: '1' },
  faucet: { amount: '1' },
};

/** Twelve ways to name the wrong owner, none, or two. */
const confusions = (owner: string, other: string): Readonly<Record<string, string>> => ({
  missing: '',
  empty: 'owner=',
  another: `owner=${other}`,
  'itself twice': `owner=${owner}&owner=${owner}`,
  'itself, then another': `owner=${owner}&owner=${other}`,
  'another, then itself': `owner=${other}&owner=${owner}`,
  'a list': `owner[]=${owner}`,
  'a field of it': `owner[address]=${owner}`,
  'in upper case': `OWNER=${owner}`,
  'its value in lower case': `owner=${owner.toLowerCase()}`,
  'with a blank': `owner=${owner}%20`,
  'with a letter that looks alike': `owner=${encodeURIComponent(owner.replace(/[a-zA-Z]/, '\u0430'))}`,
});

const owners = async (sheet: Sheet): Promise<void> => {
  const { exactly, none } = sheet;
  const { life, owner, agent, look } = await open(sheet);
  const other = await deployIn(life, 'other', { allocate: '1' });
  const before = await look();
  const crossed: string[] = [];
  const refusals = new Set<string>();
  let asked = 0;
  const all = Object.entries(routes) as [string, Route][];
  const closed = all.filter(([, { access }]) => access !== 'public');
  const variants = Object.entries(confusions(owner, other.wallet));
  const jobs = closed.flatMap(([name, route]) =>
    variants.flatMap(([variant, query]) =>
      [
        { who: 'the agent itself', token: agent.key },
        { who: 'another agent', token: other.key },
        { who: 'the owner', token: undefined },
      ].map((asker) => ({ name, route, variant, query, ...asker })),
    ),
  );
  await inParallel(16, jobs, async ({ name, route, variant, query, who, token }) => {
    const path = route.path.replace(':agentId', 'payer').replaceAll(/:\w+/g, 'none');
    // The body names the right owner, which does not count.
    const body = route.method === 'GET' ? {} : { body: { ...bodies[name] } };
    const answering = life.client.call(route.method, `${path}?${query}`, {
      ...body,
      ...(token === undefined ? {} : { token }),
      owner: null,
      headers: { 'x-owner': owner },
    });
    const answer = await Promise.race([
      answering,
      new Promise<null>((resolve) => setTimeout(resolve, 15_000, null).unref()),
    ]);
    asked += 1;
    if (answer === null) {
      // An event stream was allowed.
      crossed.push(`${name}, ${who}, owner ${variant}: goes on without end`);
      return;
    }
    // The owner's own token works without `owner` on routes that need none.
    if (answer.status < 400 && !(route.access === 'identity'))
      crossed.push(`${name}, ${who}, owner ${variant}: ${answer.status}`);
    if (answer.status >= 500)
      crossed.push(`${name}, ${who}, owner ${variant}: ${answer.status} ${answer.text}`);
    if (answer.text.includes(agent.wallet))
      crossed.push(`${name}, ${who}, owner ${variant}: tells of the agent`);
    if (answer.status === 401) refusals.add(answer.text);
  });
  // Another agent with the right owner gets the same words as one that does not exist.
  const told: string[] = [];
  for (const [name, route] of closed.filter(([, { path }]) => path.includes(':agentId'))) {
    const answers = [];
    for (const id of ['payer', 'nobody']) {
      const body = route.method === 'GET' ? {} : { body: bodies[name] ?? {} };
      const path = route.path.replace(':agentId', id).replaceAll(/:\w+/g, 'none');
      answers.push(await life.client.call(route.method, path, { ...body, token: other.key }));
    }
    const [theirs, none_] = answers;
    if (theirs === undefined || theirs.status < 400 || theirs.text !== none_?.text)
      told.push(`${name}: ${theirs?.status} ${theirs?.text}`);
  }
  exactly('routes with 12 confused owners, by three askers', asked, closed.length * 12 * 3);
  none('reads and writes across owners', crossed);
  none('agents that can be told from agents that are not there', told);
  exactly('ways to say 401', refusals.size, 1);
  none('changes of state by confused owners', differences(before, await look()));
};

const page = async (sheet: Sheet): Promise<void> => {
  const { short, exactly, none, skip } = sheet;
  if (short) return skip('a page in Chromium', 'in the full size only');
  if (missingTools('chromium').length > 0) return skip('a page in Chromium', 'chromium is not installed');
  const { life, port, owner, look } = await open(sheet);
  const tunnel = hasTunnel ? await openTunnel(port) : null;
  if (tunnel === null) skip('the page before a tunnel', 'caddy is not installed');
  else await life.client.post('/v1/public-address', { url: tunnel.url });
  const before = await look();
  const { attempts, successes, rebound } = await visitHostileSite(port, owner, tunnel?.url ?? null);
  await tunnel?.close();
  exactly('vectors of a page in Chromium', attempts, tunnel === null ? 60 : 72);
  none('vectors that read something', successes);
  none('answers to a rebound name', rebound);
  none('changes of state by the page', differences(before, await look()));
};

export const gate = createGate(8, 'the port, against strangers', {
  'Host, Origin and method': guard,
  'noise on raw sockets': noise,
  'idle connections': idle,
  'confused owners': owners,
  'a hostile page': page,
  'large answers': largeAnswers,
  'hostile neighbours': hostileNeighbours,
});
