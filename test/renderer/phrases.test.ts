// The words in which the dashboard shows amounts, times, outcomes, names and policies; phrases that readers stumbled over
// stay out of it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { counted, figureOf, groupDigits, shorten } from '../../renderer/shared/format.ts';
import { listed } from '../../server/contract/listed.ts';
import { createDice } from '../harness/dice.ts';
import { agoOf } from '../../renderer/shared/time.ts';
import { ordinal, randomPlaces } from '../../renderer/shared/phrase/random-places.ts';
import { policyInReply, usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import {
  duration,
  policySentences,
  type Policy,
} from '../../renderer/screens/agents/limits/policy-sentence.ts';
import { blockingOf } from '../../renderer/screens/activity/blocking.ts';
import { askAgain } from '../../renderer/screens/activity/ask-again.ts';
import { evidenceOf } from '../../renderer/screens/activity/evidence.ts';
import { type Transfer } from '../../server/contract/payments/steps.ts';
import { namesOf } from '../../server/contract/agents/agent-names.ts';
import { outcomeOf, outcomes, titleOf, type Shown } from '../../renderer/shared/status.ts';
import { allowingOf, isSameList } from '../../renderer/screens/catalog/allowing.ts';
import { changedPrices, isSamePrice } from '../../renderer/screens/catalog/prices.ts';
import { changesOf } from '../../renderer/screens/catalog/provider-form.ts';
import {
  experienceOf,
  progressOf,
  type CatalogSource,
} from '../../renderer/screens/catalog/service-words.ts';
import { filtersOf, searchOf } from '../../renderer/screens/gallery/filters.ts';
import { blobOf, bytesOf, fileNameOf, refundOf } from '../../renderer/screens/gallery/task-words.ts';
import { commandsFor, matching } from '../../renderer/shell/palette/commands.ts';
import { execFileSync } from 'node:child_process';
import { mcpHosts } from '../../renderer/screens/connect/mcp-hosts.ts';
import { lineOf, shellWord } from '../../renderer/shared/shell.ts';
import { filesBelow, filesWith, retired, wordsOf as textsOf } from '../retired-words.ts';

describe('formatted text', () => {
  it.each([
    ['0.00', '0.00'],
    ['999.50', '999.50'],
    ['1000.00', '1,000.00'],
    ['1234567.000001', '1,234,567.000001'],
    ['-1234.5', '−1,234.5'],
  ])('groups %s as %s', (decimal, text) => {
    expect(groupDigits(decimal)).toBe(text);
  });

  it.each([
    ['0.00', '0.00'],
    ['5.5', '5.50'],
    ['34.124995', '34.1249'],
    ['4.999999', '4.9999'],
    ['0.000001', '0.000001'],
    ['0.000123456', '0.0001234'],
    ['0.100001', '0.10'],
    ['12345.678901', '12,345.67'],
    ['-1.00009', '−1.00'],
  ])('writes the figure %s as %s, never larger than it is', (decimal, text) => {
    expect(figureOf(decimal)).toBe(text);
    expect(Math.abs(Number(text.replaceAll(/[,−]/g, '')))).toBeLessThanOrEqual(Math.abs(Number(decimal)));
  });

  it('shows a recent time as how long ago it was', () => {
    const now = Date.parse('2026-03-04T12:00:00.000Z');
    const ago = (seconds: number) => agoOf(new Date(now - seconds * 1_000).toISOString(), now);
    expect([-5, 0, 59, 60, 3_599, 3_600, 43_199].map(ago)).toEqual([
      'just now',
      'just now',
      'just now',
      '1 min ago',
      '59 min ago',
      '1 h ago',
      '11 h ago',
    ]);
    expect(ago(43_200)).not.toContain('ago');
  });

  it('shortens an address to its ends, and leaves short texts whole', () => {
    expect(shorten('DzSeJNQrznofrnrB5Ttu4pTbQxpXpCxTspsyyuvo783k')).toBe('DzSe…783k');
    expect(shorten('twelve chars')).toBe('twelve chars');
  });

  it('counts in singular and plural', () => {
    expect([counted(1, 'agent'), counted(0, 'agent'), counted(1_200, 'agent')]).toEqual([
      '1 agent',
      '0 agents',
      '1,200 agents',
    ]);
  });

  it('lists items as in prose', () => {
    expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'])]).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
  });

  it('gives ordinals their endings', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 24].map(ordinal).join(' ')).toBe(
      '1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 24th',
    );
  });
});

describe('the words of the phrase that are asked for', () => {
  it('are at different places, in order, for any random numbers', () => {
    for (const random of [() => 0, () => 0.999_999, createDice(1).roll]) {
      const places = randomPlaces(3, 24, random);
      expect(new Set(places).size).toBe(3);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places.every((place) => place >= 1 && place <= 24)).toBe(true);
    }
  });

  it('can be any of them', () => {
    const { roll } = createDice(1);
    const seen = new Set(Array.from({ length: 2_000 }, () => randomPlaces(3, 24, roll)).flat());
    expect(seen.size).toBe(24);
  });
});

const names = new Map([
  ['weather', 'Sandbox Weather'],
  ['maps', 'Maps'],
]);

const plain: Policy = { ...policyInReply(usualPolicy), dailyBudget: '5.00', maxPerPayment: '1.00' };

const say = (changes: Partial<Policy> = {}): string =>
  policySentences({ ...plain, ...changes }, names).join('\n');

describe('the sentence about a policy', () => {
  it('names the budget and the maximum per payment, and that the owner is not asked', () => {
    expect(say().split('\n')).toEqual([
      'It can spend up to 5.00 USDC in any 24 hours.',
      'It can spend at most 1.00 USDC at a time.',
      'It can pay any service.',
      'Within these limits it won’t ask you.',
    ]);
  });

  it('omits a maximum per payment above the budget', () => {
    expect(say({ maxPerPayment: '5' })).toContain('It can spend all of that at once.');
    expect(say({ maxPerPayment: '4.999999' })).toContain('at most 4.999999 USDC at a time');
  });

  it('says that a zero lets it spend nothing, and which field is zero', () => {
    expect(say({ dailyBudget: '0' })).toBe('It can spend nothing: its daily budget is zero.');
    expect(say({ maxPerPayment: '0.00' })).toBe('It can spend nothing: its maximum per payment is zero.');
  });

  it('names services, or their ids where the catalog does not know them', () => {
    expect(say({ allowedServices: ['weather', 'x.y'] })).toContain(
      'It can pay nothing but Sandbox Weather and x.y.',
    );
  });

  it('names three of many services and counts the rest', () => {
    const allowedServices = ['weather', 'maps', 'c', 'd', 'e'];
    expect(say({ allowedServices })).toContain('nothing but Sandbox Weather, Maps, c and 2 other services');
    expect(say({ allowedServices: allowedServices.slice(0, 4) })).toContain('Sandbox Weather, Maps, c and d');
  });

  it('names the cooldown', () => {
    expect(say({ cooldownSeconds: 90 })).toContain('It waits 1 minute and 30 seconds after each payment.');
  });

  it('says when it asks, and what happens without an answer', () => {
    expect(say({ approveAbove: '0.50', newPayees: 'approve' })).toContain(
      'It asks you before it pays more than 0.50 USDC at a time, or it pays somebody for the first time; if you don’t answer within 15 minutes, the payment is declined.',
    );
  });

  it('says “each payment” when it asks above zero', () => {
    expect(say({ approveAbove: '0', newPayees: 'approve', approvalMinutes: 1_440 })).toContain(
      'It asks you before each payment; if you don’t answer within 1 day, the payment is declined.',
    );
  });

  it('does not promise to ask above an amount that it can never pay', () => {
    expect(say({ approveAbove: '1.00' })).toContain('Within these limits it won’t ask you.');
    expect(say({ approveAbove: '0.99' })).toContain('more than 0.99 USDC');
    expect(say({ approveAbove: '5.00', maxPerPayment: '9' })).toContain('won’t ask you');
  });

  it('groups thousands', () => {
    expect(say({ dailyBudget: '1234567.5', maxPerPayment: '1000' })).toContain('1,234,567.50 USDC');
    expect(say({ weeklyBudget: '20000' })).toContain('In any 7 days it can spend 20,000.00 USDC at most.');
  });

  it('has a sentence for each service with a limit, by its name', () => {
    const serviceLimits = { maps: { dailyBudget: '1.00' }, 'x.y': { maxPerPayment: '0.50' } };
    expect(say({ serviceLimits }).split('\n').slice(3, 5)).toEqual([
      'At Maps it can spend at most 1.00 USDC in any 24 hours.',
      'At x.y it can spend at most 0.50 USDC in one payment.',
    ]);
  });
});

describe('a duration', () => {
  it.each([
    [0, 'no time'],
    [1, '1 second'],
    [3_600, '1 hour'],
    [2_592_000, '30 days'],
    [90_061, '1 day, 1 hour, 1 minute and 1 second'],
  ])('%i s is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

const shown = (more: Partial<Shown>): string =>
  outcomes[
    outcomeOf({ kind: 'payment', status: 'confirmed', state: 'final', note: null, failure: null, ...more })
  ].label;
const denied = (code: string) => shown({ status: 'denied', state: 'denied', failure: { code } });

describe('a transfer', () => {
  it('is paid once it is final, and settling before', () => {
    expect(shown({})).toBe('Paid');
    expect(shown({ kind: 'charge' })).toBe('Paid');
    expect(shown({ state: 'seen' })).toBe('Settling');
    for (const state of ['reserved', 'signed', 'sent'])
      expect(shown({ status: 'pending', state })).toBe('Settling');
    for (const kind of ['allocation', 'recall', 'withdrawal', 'refund'] as const)
      expect(shown({ kind })).toBe('Done');
  });

  it('is never called paid when its seller did not deliver', () => {
    expect(shown({ note: 'Paid, but not delivered. down' })).toBe('Not delivered');
    expect(shown({ state: 'seen', note: 'Paid, but not delivered. down' })).toBe('Not delivered');
    expect(shown({ status: 'failed', state: 'dead', note: 'Not delivered. down' })).toBe('Failed');
  });

  it('is declined while it waits for the owner, also by a stop, and refused by a limit', () => {
    expect(['approval_denied', 'approval_expired', 'approval_cancelled'].map(denied)).toEqual([
      'Declined',
      'Declined',
      'Declined',
    ]);
    expect(['daily_budget', 'frozen', 'suspended', 'insufficient_balance'].map(denied)).toEqual([
      'Refused',
      'Refused',
      'Refused',
      'Refused',
    ]);
    expect([shown({ status: 'awaiting_approval' }), shown({ status: 'unknown' })]).toEqual([
      'Waiting',
      'Unknown',
    ]);
  });

  it('has words of its own for each outcome', () => {
    const labels = Object.values(outcomes).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('is named after its service, and funds after their agent', () => {
    const entry = { service: 'Allocation to scout', agentId: 'scout' };
    expect(titleOf({ ...entry, kind: 'allocation' }, () => 'Scout')).toBe('Funds for Scout');
    expect(titleOf({ ...entry, kind: 'recall' }, () => 'Scout')).toBe('Funds back from Scout');
    expect(titleOf({ kind: 'payment', service: 'Weather', agentId: 'scout' }, () => 'Scout')).toBe('Weather');
    expect(titleOf({ kind: 'withdrawal', service: 'Withdrawal', agentId: null }, () => 'Scout')).toBe(
      'Withdrawal',
    );
  });
});

const namesStatus = (...agents: [string, string][]) => [
  ...namesOf(agents.map(([agentId, displayName]) => ({ agentId, displayName }))).values(),
];

describe('an agent', () => {
  it('is called by its display name, and by its id too where the name could be another agent’s', () => {
    expect(namesStatus(['scout', 'Scout'], ['reviewer', 'Code Reviewer'])).toEqual([
      'Scout',
      'Code Reviewer',
    ]);
    expect(namesStatus(['a', 'Scout'], ['b', 'scout '])).toEqual(['Scout (a)', 'scout  (b)']);
    // An agent whose display name is another one's id.
    expect(namesStatus(['code-reviewer', 'Code Reviewer'], ['evil', 'code reviewer'])).toEqual([
      'Code Reviewer (code-reviewer)',
      'code reviewer (evil)',
    ]);
    expect(namesStatus(['code-reviewer', 'Rita'], ['evil', 'Code-Reviewer'])).toEqual([
      'Rita',
      'Code-Reviewer (evil)',
    ]);
  });
});

describe('blocking a service', () => {
  it('never empties the list, which would allow every service', () => {
    expect(blockingOf(['a', 'b'], 'a')).toEqual({ kind: 'listed', others: ['b'] });
    expect(blockingOf(['a'], 'a')).toEqual({ kind: 'only' });
    expect(blockingOf([], 'a')).toEqual({ kind: 'every' });
    expect(blockingOf(['b'], 'a')).toEqual({ kind: 'blocked' });
  });
});

describe('asking again for goods that are paid', () => {
  it('names the call and its payment, and says that nothing is paid again', () => {
    const purchase = { method: 'POST', url: 'https://a.example/x' } as NonNullable<Transfer['purchase']>;
    expect(askAgain({ id: 'pay_1', purchase })).toBe(
      'Repeat POST https://a.example/x exactly as before, with the Idempotency-Key of payment pay_1. It is paid: the seller is shown the same payment once more, and nothing is paid again.',
    );
  });
});

describe('the evidence for a seller', () => {
  it('names the paid request and its place on the chain, without the agent’s own words', () => {
    const text = evidenceOf({
      id: 'pay_1',
      amount: '0.10',
      currency: 'USDC',
      payee: 'payee',
      txSignature: 'signature',
      reason: 'a secret plan',
      description: 'a secret plan',
      times: { block: '2026-01-02T03:04:05.000Z', seen: null },
      purchase: { method: 'GET', url: 'https://a.example', requestHash: 'ff', evidence: { status: 500 } },
    } as unknown as Transfer);
    expect(JSON.parse(text)).toMatchObject({
      payment: 'pay_1',
      transaction: 'signature',
      request: { url: 'https://a.example' },
      seller: { status: 500 },
    });
    expect(text).not.toContain('secret');
  });
});

describe('a list of allowed services', () => {
  it('that is empty excludes all other services once it has an entry', () => {
    expect(allowingOf([], 'a')).toEqual({ kind: 'every' });
    expect(allowingOf(['a'], 'a')).toEqual({ kind: 'listed' });
    expect(allowingOf(['a', 'b'], 'c')).toEqual({ kind: 'adds', others: 2 });
    expect([isSameList(['a'], ['a']), isSameList(['a'], []), isSameList(['a', 'b'], ['b', 'a'])]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a price', () => {
  it('is changed only by another amount', () => {
    const before = { '1k': '0.10', '2k': '0.20' };
    expect(changedPrices(before, { '1k': ' 0.1 ', '2k': '0.200001' })).toEqual({ '2k': '0.200001' });
    expect(changedPrices(before, { '1k': '0.10', '2k': 'x' })).toEqual({ '2k': 'x' });
    expect([isSamePrice('0.1', '0.100'), isSamePrice(undefined, '0.1'), isSamePrice('x', 'y')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a provider', () => {
  it('is sent only the changed fields; an empty key keeps the present one', () => {
    const provider = {
      providerId: 'p',
      name: 'P',
      hasKey: true,
      baseUrl: 'https://a.example',
      atOnce: 2,
      keysUrl: '',
    };
    const values = { apiKey: '', baseUrl: 'https://a.example', atOnce: '2' };
    expect(changesOf(provider, values)).toEqual({});
    expect(changesOf(provider, { ...values, baseUrl: ' ', apiKey: ' k ' })).toEqual({
      apiKey: 'k',
      baseUrl: null,
    });
    expect(changesOf(provider, { ...values, atOnce: '4' })).toEqual({ atOnce: 4 });
  });
});

const few = (calls: number, answered: number) =>
  ({
    calls,
    successRate: answered / calls,
    medianLatencyMs: null,
    lastSeenAt: '2026-01-02T11:00:00Z',
  }) as const;

describe('the experience with a service', () => {
  const source = 'x402-marketplace' as const;

  it('is never rounded up to 100 %', () => {
    const now = new Date('2026-01-02T12:00:00Z');
    const reputation = { calls: 1_000, successRate: 0.999, medianLatencyMs: 1_240, lastSeenAt: null };
    expect(experienceOf({ source, reputation }, { now })).toEqual([
      '1,000 calls',
      '99% answered',
      'usually within 1.2 s',
    ]);
    const five = { source, reputation: { ...reputation, calls: 5 } };
    expect(experienceOf(five, { paid: 2, now })[0]).toBe('2 payments in 90 days');
  });

  it('is no percentage of fewer than five calls, and nothing where all of these were answered', () => {
    const first = (reputation: ReturnType<typeof few>) => experienceOf({ source, reputation })[0];
    expect(first(few(3, 2))).toBe('2 of 3 calls answered');
    expect(first(few(1, 0))).toBe('1 call failed');
    expect(first(few(5, 5))).toBe('5 calls');
    expect(experienceOf({ source, reputation: few(4, 4) })).toEqual([]);
    const models = 'model-registry';
    expect(experienceOf({ source: models, reputation: few(3, 2) })[0]).toBe('1 refunded');
    expect(experienceOf({ source: models, reputation: few(6, 0) })[0]).toBe('6 refunded');
  });

  it('counts payments of any way apart from deliveries that are known', () => {
    const reputation = { calls: 0, successRate: null, medianLatencyMs: null, lastSeenAt: null };
    const none = { source, reputation };
    expect(experienceOf(none)).toEqual([]);
    expect(experienceOf(none, { paid: 39 })).toEqual(['39 payments in 90 days', 'no delivery reported yet']);
    expect(experienceOf(none, { paid: 0 })[0]).toBe('no payment in 90 days');
  });
});

describe('the gallery’s filters', () => {
  it('survive being written to an address and read back, without nonsense', () => {
    const filters = { agentId: 'one', status: 'failed' } as const;
    expect(filtersOf(new URLSearchParams(searchOf(filters)))).toEqual(filters);
    expect(filtersOf(new URLSearchParams({ agent: 'x'.repeat(65), status: 'lost', other: '1' }))).toEqual({});
    expect(searchOf({})).toBe('');
  });
});

describe('a picture', () => {
  it('says what happened to its money', () => {
    const refund = { amount: '0.30', txSignature: null };
    expect(refundOf({})).toBe('Nothing was charged.');
    expect(refundOf({ refund: { ...refund, status: 'owed' } })).toContain('0.30 USDC will be refunded');
    expect(refundOf({ refund: { ...refund, status: 'pending' } })).toBe('Refund of 0.30 USDC on its way.');
    expect(refundOf({ refund: { ...refund, status: 'paid' } })).toBe('0.30 USDC refunded.');
  });

  it('becomes a file of its own type, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const blob = blobOf(`data:image/webp;base64,${Buffer.from(bytes).toString('base64')}`);
    expect(blob.type).toBe('image/webp');
    expect(new Uint8Array(await blob.arrayBuffer())).toEqual(bytes);
    expect([fileNameOf('task_1', 'image/jpeg'), fileNameOf('task_1', 'image/x')]).toEqual([
      'task_1.jpg',
      'task_1.bin',
    ]);
    expect([bytesOf(1), bytesOf(213_400), bytesOf(1_260_000)]).toEqual(['1 kB', '214 kB', '1.3 MB']);
  });
});

describe('a source of the catalog', () => {
  const source: CatalogSource = {
    sourceId: 'src_1',
    url: 'https://facilitator.example',
    name: 'A facilitator',
    addedAt: '2026-11-01T00:00:00Z',
    state: 'running',
    done: 1_200,
    total: 14_668,
    added: 120,
    changed: 2,
    vanished: 1,
    skipped: 0,
    notPayable: 1_078,
    lastRunAt: null,
    nextRunAt: '2026-11-01T00:00:00Z',
    error: null,
  };

  it('is shown with the progress of its import, and why one ended', () => {
    const read = '1,200 of 14,668 read: 120 added, 2 changed, 1 gone, 1078 not payable here';
    expect(progressOf(source)).toBe(read);
    expect(progressOf({ ...source, state: 'failed', error: 'It answered 500.' })).toBe(
      `It answered 500. ${read}`,
    );
    expect(progressOf({ ...source, total: null })).toContain('1,200 read');
  });
});

describe('the palette', () => {
  it('lists an agent before what can be done with it, and without text nothing but places', () => {
    const summary = { agentId: 'a', displayName: 'Alpha', status: 'active' };
    const places = [{ path: '/agents', label: 'Agents' }];
    const commands = commandsFor({
      places,
      agents: [summary as never],
      nameOf: () => 'Alpha',
      isFrozen: false,
    });
    expect(matching(commands, 'alpha').map(({ label }) => label)).toEqual([
      'Alpha',
      'Pause Alpha',
      'Add funds to Alpha',
      'Policy: Alpha',
      'Watch: Alpha',
      'Keys and connection: Alpha',
      'History: Alpha',
    ]);
    expect(matching(commands, '').every(({ does }) => does.kind === 'open')).toBe(true);
    expect(matching(commands, 'agents')[0]?.label).toBe('Agents');
    expect(matching(commands, 'stop alpha').map(({ label }) => label)).toEqual(['Pause Alpha']);
  });

  const known = { places: [], agents: [], nameOf: String, isFrozen: false };

  it.each([
    ['deposit', 'Deposit'],
    ['get money', 'Get money'],
    ['backup', 'Backup'],
    ['recovery', 'Recovery phrase'],
    ['withdraw', 'Withdraw'],
    ['notices', 'Notices'],
    ['dark', 'Appearance'],
    ['phone', 'Phones'],
    ['ceiling', 'Limits for all agents'],
    ['time zone', 'Time zone'],
    ['freeze', 'Freeze everything'],
    ['unlock', 'Lock'],
    ['close month', 'Close a month'],
    ['export', 'Download the books'],
    ['tunnel', 'Other machines'],
  ])('finds %s as %s', (typed, label) => {
    expect(matching(commandsFor(known), typed)[0]?.label).toBe(label);
  });

  it('has each place of the navigation in the documents too', () => {
    const places = readFileSync('renderer/places.ts', 'utf8').matchAll(
      /(?:label: |fetched\('[^']+', )'(\w+)'/g,
    );
    const labels = [...places].map(([, label = '']) => label);
    expect(labels.length).toBeGreaterThan(7);
    const operating = readFileSync('build/docs/operating.md', 'utf8');
    expect(labels.filter((label) => !operating.includes(`- **${label}**`))).toEqual([]);
  });

  it('finds boosts and refills where the agents are', () => {
    const places = [{ path: '/agents', label: 'Agents' }];
    for (const typed of ['boost', 'refill'])
      expect(matching(commandsFor({ ...known, places }), typed)[0]?.label).toBe('Agents');
  });

  it('finds every panel of the treasury and of the settings by its title', () => {
    const screens = ['settings', 'treasury'].flatMap((room) =>
      filesBelow(`renderer/screens/${room}`, /\.tsx$/),
    );
    const titles = screens.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/<Panel\s+title="([^"]+)"/g)].map(([, title = '']) => title),
    );
    expect(titles.length).toBeGreaterThan(20);
    const labels = commandsFor(known).map(({ label }) => label);
    const gaps = titles.filter((title) => !labels.includes(title));
    expect(gaps).toEqual([]);
  });
});

const config = {
  command: '/opt/my tools/node',
  args: ['/opt/treasury/mcp.ts', 'it\'s "quoted"'],
  env: { TREASURY_OWNER: 'DzSe', TREASURY_API_KEY: 'atk_x-y_z', TREASURY_DATA: 'C:\\Users\\me' },
};
const server = { command: config.command, args: config.args, env: config.env };

const textFor = (id: string): string => {
  const host = mcpHosts.find((one) => one.id === id);
  if (host === undefined) throw new Error(`no host ${id}`);
  return host.text(config);
};

describe('MCP configurations', () => {
  it.each(['claude-code', 'claude-desktop', 'cursor', 'gemini', 'json'])('%s gets mcpServers', (id) => {
    expect(JSON.parse(textFor(id))).toEqual({ mcpServers: { 'agent-treasury': server } });
  });

  it('VS Code gets servers with their type', () => {
    expect(JSON.parse(textFor('vs-code'))).toEqual({
      servers: { 'agent-treasury': { type: 'stdio', ...server } },
    });
  });

  it('Zed gets context_servers', () => {
    expect(JSON.parse(textFor('zed'))).toEqual({ context_servers: { 'agent-treasury': server } });
  });

  it('Codex gets two tables of TOML with escaped strings', () => {
    expect(textFor('codex')).toBe(
      [
        '[mcp_servers.agent-treasury]',
        'command = "/opt/my tools/node"',
        String.raw`args = ["/opt/treasury/mcp.ts", "it's \"quoted\""]`,
        '',
        '[mcp_servers.agent-treasury.env]',
        'TREASURY_OWNER = "DzSe"',
        'TREASURY_API_KEY = "atk_x-y_z"',
        String.raw`TREASURY_DATA = "C:\\Users\\me"`,
      ].join('\n'),
    );
  });

  it('Goose gets an extension in YAML', () => {
    const lines = textFor('goose').split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'extensions:',
      '  agent-treasury:',
      '    enabled: true',
      '    type: stdio',
    ]);
    expect(lines).toContain('      TREASURY_API_KEY: "atk_x-y_z"');
  });

  it.skipIf(process.platform === 'win32')(
    'a shell gives a line its words back unchanged (POSIX alone)',
    () => {
      const words = ["/opt/it's mine/treasury", '--data', '/home/me/a b', '$(id)', '"', '*'];
      const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${lineOf(words, 'linux x64')}`]).toString();
      expect(printed.trimEnd().split('\n')).toEqual(words);
    },
  );

  it('PowerShell gets a call with words of its own quoting', () => {
    expect(lineOf(['C:\\Program Files\\treasury.exe', 'mcp', "it's"], 'win32 x64')).toBe(
      "& 'C:\\Program Files\\treasury.exe' mcp 'it''s'",
    );
  });

  it('leaves plain words alone and quotes what a shell would read', () => {
    expect(shellWord('/opt/a-b_c.ts')).toBe('/opt/a-b_c.ts');
    expect(shellWord('$(id)')).toBe("'$(id)'");
    expect(shellWord('')).toBe("''");
  });

  it('names each host once', () => {
    expect(new Set(mcpHosts.map(({ id }) => id)).size).toBe(mcpHosts.length);
  });
});

const files = filesBelow('renderer', /\.(tsx?|html)$/);

/** Harmless elsewhere. */
const retiredHere: readonly RegExp[] = [
  /how it was\b/i,
  /label: '(Confirmed|Pending|Charge|Recall|Allocation|Made)'/,
  /"Offered"/,
  /label="(RPC|Issuer|Sender|Id)"/,
];

describe('the words of the dashboard', () => {
  it.each([...retired, ...retiredHere].map((phrase) => [String(phrase), phrase] as const))(
    'are never %s',
    (_, phrase) => {
      expect(filesWith(phrase, files)).toEqual([]);
    },
  );

  it('are read from all of its sources', () => {
    expect(files.length).toBeGreaterThan(200);
    expect(textsOf("// your word\n<Text>waits for{' '}\n  your word</Text> /* for ever */")).toMatch(
      /^ <Text>waits for your word<\/Text> $/,
    );
  });
});
