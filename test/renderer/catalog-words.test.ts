// The catalog's and the gallery's handling of lists, prices, keys, refunds and files.
import { describe, expect, it } from 'vitest';
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

describe('the experience with a service', () => {
  it('is never rounded up to 100 %', () => {
    const now = new Date('2026-01-02T12:00:00Z');
    const reputation = { calls: 1_000, successRate: 0.999, medianLatencyMs: 1_240, lastSeenAt: null };
    expect(experienceOf(reputation, now)).toEqual(['1,000 calls', '99 % answered', 'usually within 1.2 s']);
    expect(experienceOf({ ...reputation, calls: 0, successRate: null, medianLatencyMs: null }, now)).toEqual([
      'never called from here',
    ]);
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
    expect(refundOf({ refund: { ...refund, status: 'owed' } })).toContain('Owed back: 0.30 USDC');
    expect(refundOf({ refund: { ...refund, status: 'pending' } })).toBe('On its way back: 0.30 USDC.');
    expect(refundOf({ refund: { ...refund, status: 'paid' } })).toBe('Paid back: 0.30 USDC.');
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
