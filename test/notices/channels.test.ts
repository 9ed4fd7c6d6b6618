// The channels of a real treasury: a web server, an SMTP server, and the desktop's shell.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { allFields, channelKindNames, entryOf, placeField } from '../../server/contract/notices/channels.ts';
import type { Message } from '../../server/notices/message.ts';
import { openMailServer, type TestMailServer } from '../signin/mail-server.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { bodyOf, newSecret, openEndpoint, type Endpoint } from './endpoint.ts';

const channels = '/v1/notices/channels';
const shown: Message[] = [];

let treasury: Treasury;
let endpoint: Endpoint;
let mail: TestMailServer;
let agent: TestAgent;
beforeAll(async () => {
  endpoint = await openEndpoint();
  mail = await openMailServer({ password: 'hunter2-mail', disabledCommands: ['STARTTLS'] });
  treasury = await openTreasury({ showNotice: (message) => void shown.push(message) });
  agent = await deploy(treasury.client, 'scout');
});
afterAll(async () => {
  await treasury.close();
  await endpoint.close();
  await mail.close();
});
beforeEach(async () => {
  endpoint.received = [];
  [endpoint.status, endpoint.headers, endpoint.text] = [200, {}, ''];
  for (const { channelId, place } of await listed())
    if (place.kind !== 'desktop') await treasury.client.call('DELETE', `${channels}/${channelId}`);
});

interface Listed {
  channelId: string;
  name: string;
  kinds: string[];
  place: { kind: string };
  trouble: unknown;
}
const listed = async (): Promise<Listed[]> =>
  (await treasury.client.get(channels)).body['channels'] as Listed[];

const add = async (body: object) => {
  const { status, body: added, text } = await treasury.client.post(channels, body);
  if (status !== 200) throw new Error(text);
  return added as unknown as Listed;
};
const test = async (channelId: string) =>
  (await treasury.client.post(`${channels}/${channelId}/test`)).body as {
    delivered: boolean;
    answer: string;
  };

const webhook = (more: object = {}) => ({
  kind: 'webhook',
  url: endpoint.url,
  allowPrivate: true,
  secret: newSecret(),
  ...more,
});

/** A refusal of an agent of its own, so that nothing is folded. */
let refusals = 0;
const refuse = async (): Promise<string> => {
  const agentId = `spender-${(refusals += 1)}`;
  const one = await deploy(treasury.client, agentId, { allocate: null });
  await one.pay('5.00');
  return agentId;
};

describe('a webhook', () => {
  it('is signed, so that the published library verifies it, and tells what happened', async () => {
    const secret = newSecret();
    await add(webhook({ secret, kinds: ['refused'] }));
    const agentId = await refuse();
    const [received] = await until('the webhook', () => endpoint.received.length > 0 && endpoint.received);
    if (received === undefined) throw new Error('nothing came');
    const headers = received.headers as Record<string, string>;
    expect(new Webhook(secret).verify(received.body, headers)).toEqual(bodyOf(received));
    expect(() => new Webhook(newSecret()).verify(received.body, headers)).toThrow('signature');
    expect(() => new Webhook(secret).verify(`${received.body} `, headers)).toThrow('signature');
    const { type, data, text, content } = bodyOf(received);
    // What Slack and Discord show.
    expect([text, content]).toEqual([`${data.title}\n${data.text}`, text]);
    expect([type, headers['webhook-id'], data.agentId, data.count]).toEqual([
      'treasury.refused',
      data.id,
      agentId,
      1,
    ]);
    expect(data.subject).toMatch(/^pay_/);
    expect(data.text).toBe(
      `5.00 USDC to Sandbox Weather. ${agentId} may spend at most 1.00 USDC in one payment. This one was for 5.00 USDC.`,
    );
  });

  it('gets the kinds that its owner chose, and no others', async () => {
    const { channelId } = await add(webhook({ kinds: ['deposit'] }));
    await refuse();
    await treasury.client.post('/v1/sandbox/faucet', { amount: '25' });
    await until('the deposit', () => endpoint.received.length > 0);
    expect(endpoint.received.map((one) => bodyOf(one).type)).toEqual(['treasury.deposit']);
    const changed = await treasury.client.post(`${channels}/${channelId}`, { kinds: ['linked', 'approval'] });
    expect(changed.body['kinds']).toEqual(['approval', 'linked']);
  });

  it('is told when it is asked for again, with the same id, after it could not be delivered', async () => {
    endpoint.status = 404;
    await add(webhook({ kinds: ['refused'] }));
    await refuse();
    const failed = await until('the failure', async () => {
      const { body } = await treasury.client.get('/v1/notices?failed=true');
      const [notice] = body['notices'] as { noticeId: string; deliveries: { answer: string }[] }[];
      return notice?.deliveries.some(({ answer }) => answer === 'HTTP 404') === true && notice;
    });
    endpoint.status = 200;
    await treasury.client.post(`/v1/notices/${failed.noticeId}/retry`);
    await until('the second try', () => endpoint.taken().length === 1);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([failed.noticeId]),
    );
  });

  it('is never followed elsewhere by a redirect', async () => {
    const { channelId } = await add(webhook());
    [endpoint.status, endpoint.headers] = [307, { location: `${endpoint.url}elsewhere` }];
    expect(await test(channelId)).toEqual({ delivered: false, answer: 'HTTP 307' });
    expect(endpoint.received.map(({ path }) => path)).toEqual(['/']);
  });

  it('leads to a private address, or goes without encryption, only where its owner allows that', async () => {
    const plain = await treasury.client.post(channels, webhook({ allowPrivate: false }));
    expect([plain.status, plain.body['error']]).toEqual([
      400,
      'url: must be https, unless you allow private addresses.',
    ]);
    for (const url of [
      'https://127.0.0.1:1/',
      'https://[::1]/',
      'https://192.168.1.1/',
      'https://localhost/',
    ]) {
      const { channelId } = await add(webhook({ allowPrivate: false, url }));
      const { delivered, answer } = await test(channelId);
      expect([url, delivered, answer]).toEqual([
        url,
        false,
        expect.stringContaining('not a public internet address'),
      ]);
    }
    const own = await add(webhook({ url: `${treasury.host.url}/v1/freeze` }));
    expect(await test(own.channelId)).toMatchObject({ delivered: false });
  });

  it('says what the endpoint said, on one line and without links', async () => {
    const { channelId } = await add(webhook());
    [endpoint.status, endpoint.text] = [500, 'It broke.\n<b>See</b> https://evil.example/help'];
    expect(await test(channelId)).toEqual({
      delivered: false,
      answer: 'HTTP 500: It broke. ‹b›See‹ b› evil example help',
    });
    endpoint.status = null;
    expect((await test(channelId)).answer).toContain('cannot be reached');
  });

  it('shows in the list what is in the way', async () => {
    endpoint.status = 500;
    await add(webhook({ kinds: ['refused'] }));
    await refuse();
    const trouble = await until('the trouble', async () => (await listed()).at(-1)?.trouble ?? false);
    expect(trouble).toEqual({ waiting: 1, failed: 0, answer: 'HTTP 500' });
  });
});

const ntfy = (more: object = {}) => ({
  kind: 'ntfy',
  server: endpoint.url,
  topic: 'my-treasury',
  allowPrivate: true,
  ...more,
});

describe('ntfy', () => {
  it('gets the notice as JSON, with the token of its own server', async () => {
    const { channelId } = await add(ntfy({ token: 'tk_secret_of_ntfy', kinds: ['refused'] }));
    const agentId = await refuse();
    const [received] = await until('the notice', () => endpoint.received.length > 0 && endpoint.received);
    expect(received?.headers.authorization).toBe('Bearer tk_secret_of_ntfy');
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      topic: 'my-treasury',
      title: `A payment by ${agentId} was refused`,
      priority: 3,
    });
    endpoint.text = 'no such token: tk_secret_of_ntfy';
    expect((await test(channelId)).answer).toBe('HTTP 200: no such token: hidden');
  });

  it('forgets the token when it is pointed at another server', async () => {
    const { channelId } = await add(ntfy({ token: 'tk_secret_of_ntfy' }));
    await treasury.client.post(`${channels}/${channelId}`, { topic: 'other' });
    await test(channelId);
    const elsewhere = await openEndpoint();
    const moved = await treasury.client.post(`${channels}/${channelId}`, { server: elsewhere.url });
    await test(channelId);
    expect(moved.body['place']).toMatchObject({ hasToken: false });
    expect([endpoint, elsewhere].map(({ received }) => received[0]?.headers.authorization)).toEqual([
      'Bearer tk_secret_of_ntfy',
      undefined,
    ]);
    await elsewhere.close();
  });

  it('tells a freeze with the highest priority', async () => {
    await add(ntfy({ kinds: ['frozen'] }));
    await treasury.client.post('/v1/freeze', { reason: 'the invoices look wrong' });
    await treasury.client.post('/v1/unfreeze');
    const [received] = await until('the notice', () => endpoint.received.length > 0 && endpoint.received);
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      title: 'The treasury is frozen',
      message: 'Nothing is paid until you lift this. Why: the invoices look wrong.',
      priority: 5,
    });
  });
});

describe('e-mail', () => {
  it('says that the mail server is missing', async () => {
    const { channelId } = await add({ kind: 'email', to: 'me@example.com' });
    expect(await test(channelId)).toEqual({
      delivered: false,
      answer: 'The owner has set no mail server.',
    });
  });

  it('goes through the owner’s mail server, as plain text with an id that stays', async () => {
    const mailServer = {
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      user: 'me',
      from: 't@example.com',
    };
    await treasury.client.post('/v1/sign-in/mail-server', {
      mailServer: { ...mailServer, password: 'hunter2-mail' },
    });
    await add({ kind: 'email', to: 'owner@example.com', kinds: ['refused'] });
    const agentId = await refuse();
    const { subject, text, html, messageId } = await mail.mailTo('owner@example.com');
    expect(subject).toBe(`A payment by ${agentId} was refused`);
    expect(text).toContain('may spend at most 1.00 USDC');
    expect([html, messageId]).toEqual([undefined, expect.stringMatching(/^<ntc_\w+@agent-treasury>$/)]);
  });

  it('never repeats the password when the server refuses it', async () => {
    const mailServer = {
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      user: 'me',
      from: 't@example.com',
    };
    await treasury.client.post('/v1/sign-in/mail-server', {
      mailServer: { ...mailServer, password: 'wrong-password' },
    });
    const { channelId } = await add({ kind: 'email', to: 'owner@example.com' });
    const { delivered, answer } = await test(channelId);
    expect([delivered, answer]).toEqual([false, expect.stringContaining('No entry for [hidden]')]);
  });
});

describe('the desktop', () => {
  it('is a channel from its first start, and shows every kind', async () => {
    const [desktop] = await listed();
    expect(desktop).toMatchObject({ name: 'This desktop', place: { kind: 'desktop' } });
    const agentId = await refuse();
    await until('the notice', () => shown.some((one) => one.agentId === agentId));
    expect(shown.find((one) => one.agentId === agentId)).toMatchObject({ kind: 'refused', count: 1 });
  });
});

describe('the table of the channels', () => {
  it('has a place for each, or says why it needs none', () => {
    for (const kind of channelKindNames)
      expect([kind, placeField(kind) === undefined]).toEqual([kind, entryOf(kind).fixed !== undefined]);
  });

  it('has one kind of value for each name of a field', () => {
    const fields = channelKindNames.flatMap(allFields).map(([name, { value }]) => `${name}: ${value}`);
    const names = channelKindNames.flatMap(allFields).map(([name]) => name);
    expect(new Set(fields).size).toBe(new Set(names).size);
  });
});

describe('the owner', () => {
  it('gets no secret back, from any answer', async () => {
    const secrets = [newSecret(), newSecret(), 'tk_token_one', 'tk_token_two', 'hunter2-mail'];
    const [first = '', second = ''] = secrets;
    const hook = await treasury.client.post(channels, webhook({ secret: first }));
    const push = await treasury.client.post(channels, {
      kind: 'ntfy',
      topic: 'a',
      server: endpoint.url,
      allowPrivate: true,
      token: 'tk_token_one',
    });
    const [hookId, pushId] = [hook, push].map(({ body }) => String(body['channelId']));
    const answers = [
      hook,
      push,
      await treasury.client.post(`${channels}/${hookId}`, { secret: second }),
      await treasury.client.post(`${channels}/${pushId}`, { token: 'tk_token_two' }),
      await treasury.client.post(`${channels}/${hookId}/test`),
      await treasury.client.post(`${channels}/${pushId}/test`),
      await treasury.client.get(channels),
      await treasury.client.get('/v1/notices'),
      await treasury.client.get('/v1/diagnostics'),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  });

  it('is told which field is wrong', async () => {
    const fields = async (body: object): Promise<string[]> => {
      const { body: refused } = await treasury.client.post(channels, body);
      return Object.keys((refused['details'] as { fields: object }).fields);
    };
    expect(await fields(webhook({ secret: 'whsec_short' }))).toEqual(['secret']);
    expect(await fields(webhook({ url: 'ftp://example.com' }))).toEqual(['url']);
    expect(await fields(webhook({ kinds: ['everything'] }))).toEqual(['kinds.0']);
    expect(await fields({ kind: 'ntfy', topic: 'a b' })).toEqual(['topic']);
    expect(await fields({ kind: 'email', to: 'me@example.com\nBcc: all@example.com' })).toEqual(['to']);
    const { channelId } = await add(webhook());
    const { body } = await treasury.client.post(`${channels}/${channelId}`, { topic: 'x' });
    expect(body['error']).toBe('topic: does not apply to webhook channels.');
  });

  it('sets the low balance for all agents, and for one', async () => {
    const low = (body: object) => treasury.client.post('/v1/notices/low-balance', body);
    await low({ lowBalance: '3.00' });
    await low({ agentId: 'scout', lowBalance: null });
    const { body } = await treasury.client.get(channels);
    expect([body['lowBalance'], body['ofAgents']]).toEqual([
      '3.00',
      [{ agentId: 'scout', lowBalance: null }],
    ]);
    expect((await low({ lowBalance: 'common' })).status).toBe(400);
    expect((await low({ agentId: 'nobody', lowBalance: '1' })).status).toBe(404);
    expect((await low({ agentId: 'scout', lowBalance: 'common' })).body['ofAgents']).toEqual([]);
    expect((await agent.client.post('/v1/notices/low-balance', { lowBalance: '0' })).status).toBe(403);
  });
});
