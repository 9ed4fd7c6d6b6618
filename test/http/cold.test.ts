// The cold treasury: allocations and refills draw on it within its allowance, the chain alone decides, its issuer may freeze its
// account, and its owner is told when little of the allowance is left.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ColdReading } from '../../server/engine/ports.ts';
import { formatUsdc, type Usdc } from '../../server/money.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { type ColdWallet, createColdWallet, drawAsThief } from '../harness/chain/cold-wallet.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { deploy, openTreasury, rpcCall, type TestAgent, type Treasury, until } from '../harness/treasury.ts';

const usdc = 1_000_000n;
const noUsdc = 0n as Usdc;
let treasury: Treasury;
let agent: TestAgent;
let cold: ColdWallet;
/** Somebody else with a USDC account. */
let other: ColdWallet;

const { post, get } = {
  post: (path: string, body: object = {}) => treasury.client.post(`/v1/${path}`, body),
  get: (path: string) => treasury.client.get(`/v1/${path}`),
};
const store = () => treasury.host.engine.context.store;
const allocate = (amount: string) => post('agents/scout/allocate', { amount });
const view = async () => (await get('cold')).body['cold'];
const held = async (): Promise<unknown> =>
  (await agent.client.get('/v1/agents/scout/balance')).body['balance'];
const settled = () => until('all to end', () => store().transfers.open().length === 0);

/** The owner's changes on the chain, each of which leaves less than 2 USDC to draw. */
const changes: Record<string, () => Promise<void>> = {
  revoked: () => cold.revoke(),
  lowered: () => cold.allow(treasury.owner, 1n),
  'given to another': () => cold.allow(agent.wallet, 20n * usdc),
  emptied: async () => cold.send(other.address, (await cold.account()).balance - usdc),
  'frozen with its account by its issuer': () => cold.freeze(true),
  'gone with its account': async () => {
    await cold.send(other.address, (await cold.account()).balance);
    await cold.close();
  },
};
type Read = () => Promise<ColdReading>;

/**
 * Stands in for each look at the cold account while a draw is reserved. Looks before it are the follower's own: a change of
 * an earlier test may still be on its way to it.
 */
const lookingWith = async <T>(
  look: (read: Read) => Promise<ColdReading>,
  run: () => Promise<T>,
): Promise<T> => {
  const { chain } = treasury.host.engine.context;
  const { coldAccount } = chain;
  chain.coldAccount = (address) => {
    const read = () => coldAccount(address);
    return store().transfers.open().length === 0 ? read() : look(read);
  };
  try {
    return await run();
  } finally {
    chain.coldAccount = coldAccount;
  }
};

/** Runs `change` in the midst of an allocation: before its last look at the cold account, or once it is signed. */
const allocateWith = async (when: 'before the look' | 'once signed', change: () => Promise<void>) => {
  const { chain } = treasury.host.engine.context;
  const { broadcast } = chain;
  let changed: Promise<void> | null = null;
  const once = (): Promise<void> => (changed ??= change());
  const before = await held();
  const changeFirst = async (read: Read): Promise<ColdReading> => {
    await once();
    return read();
  };
  if (when === 'once signed')
    chain.broadcast = async (wire) => {
      await once();
      return broadcast(wire);
    };
  const answer =
    when === 'once signed' ? await allocate('2.00') : await lookingWith(changeFirst, () => allocate('2.00'));
  chain.broadcast = broadcast;
  await settled();
  const [row] = store().transfers.list({ limit: 1 });
  const error = String(answer.body['error']);
  return { status: answer.status, error, state: row?.state, isSigned: row?.signed !== null, before };
};

let withdrawals = 0;
/** The treasury's own wallet holds nothing: every allocation is a draw. */
const empty = async (): Promise<void> => {
  await treasury.host.engine.context.funds.compare();
  const { amount } = (await get('dashboard')).body['treasury'];
  if (amount === '0') return;
  const all = { to: other.address, amount: formatUsdc(BigInt(amount) as Usdc), asset: 'USDC' };
  const sent = { key: `all-${(withdrawals += 1)}` };
  expect((await treasury.client.post('/v1/treasury/withdraw', all, sent)).status).toBe(200);
};

beforeAll(async () => {
  treasury = await openTreasury({ showNotice: () => {} });
  agent = await deploy(treasury.client, 'scout', { allocate: null });
  cold = await createColdWallet(treasury.host.rpcUrl, 0n);
  other = await createColdWallet(treasury.host.rpcUrl, 0n);
  await post('cold', { address: cold.address });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  const { balance, allowance, delegate, isFrozen } = await cold.account();
  if (isFrozen) await cold.freeze(false);
  const missing = 500n * usdc - balance;
  if (missing < 0n) await cold.send(other.address, -missing);
  if (missing > 0n)
    await rpcCall(treasury.host.rpcUrl, 'sandbox_fundUsdc', [cold.address, missing.toString()]);
  if (delegate !== treasury.owner || allowance !== 20n * usdc) await cold.allow(treasury.owner, 20n * usdc);
  await empty();
});

const draw = async (amount: string): Promise<void> => {
  expectStatus(await allocate(amount), 200);
  await settled();
};

describe('the owner', () => {
  it('is told once when a fifth of the allowance is left, and again after a new one runs low', async () => {
    /** The notices of little money, newest first. */
    const told = async (): Promise<[string, number][]> => {
      await treasury.host.engine.context.funds.compare();
      return store()
        .notices.list({ before: null, limit: 50, failed: false })
        .filter(({ kind }) => kind === 'low_balance')
        .map(({ text, count }) => [text, count]);
    };
    await cold.allow(treasury.owner, 10n * usdc);
    await draw('7.99');
    expect(await told()).toEqual([]);
    await draw('0.01');
    const first =
      '2.00 of the 10.00 USDC that you allowed are left. Set a new allowance before agents run out.';
    expect(await told()).toEqual([[first, 1]]);
    await draw('0.50');
    expect(await told()).toEqual([[first, 1]]);
    await cold.allow(treasury.owner, 20n * usdc);
    expect(await told()).toEqual([[first, 1]]);
    await draw('17.00');
    const second =
      '3.00 of the 20.00 USDC that you allowed are left. Set a new allowance before agents run out.';
    expect(await told()).toEqual([
      [second, 1],
      [first, 1],
    ]);
  });
});

describe('the address of a cold treasury', () => {
  it('is refused when it is no wallet, or one of which this machine has the key', async () => {
    await cold.revoke();
    const { keys, chain } = treasury.host.engine.context;
    for (const address of [treasury.owner, agent.wallet, keys.address(900)])
      expect((await post('cold', { address })).body['error']).toBe(
        'address: this machine has the key of this address: use one of a Ledger or a phone.',
      );
    const system = '11111111111111111111111111111111';
    for (const address of [chain.tokenAccount(agent.wallet), chain.mint, system]) {
      const { body } = await post('cold', { address });
      expect(body['error'], address).toBe('address: this is not the address of a wallet.');
    }
    expect(await view()).toMatchObject({ address: cold.address });
  });

  it('is kept, with what the chain lets the treasury draw', async () => {
    expect(await view()).toMatchObject({
      address: cold.address,
      delegate: treasury.owner,
      balance: '500.00',
      allowance: '20.00',
      granted: '20.00',
      drawable: '20.00',
      fault: null,
    });
    await cold.revoke();
    expect(await view()).toMatchObject({ allowance: '0.00', drawable: '0.00', fault: 'delegate' });
  });
});

describe('an allocation', () => {
  it('comes from the treasury’s own wallet while that holds enough', async () => {
    await post('sandbox/faucet', { amount: '3.00' });
    expect((await allocate('3.00')).status).toBe(200);
    expect(await view()).toMatchObject({ balance: '500.00', allowance: '20.00' });
  });

  it('draws on the cold treasury when it does not, and the agent pays as ever', async () => {
    const before = BigInt(store().wallets.get(agent.wallet)?.balance ?? 0n);
    const answer = await allocate('5.00');
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'confirmed' }]);
    expect(await cold.account()).toMatchObject({ balance: 495n * usdc, allowance: 15n * usdc });
    expect(await view()).toMatchObject({ balance: '495.00', allowance: '15.00', granted: '20.00' });
    expect(await held()).toBe(formatUsdc((before + 5n * usdc) as Usdc));
    expect((await agent.pay('0.50')).status).toBe(200);
    await settled();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('is refused with what to do when the allowance is short, before anything is signed', async () => {
    const before = store().transfers.lastSeq();
    const { status, body } = await allocate('20.000001');
    expect([status, body['code'], body['error']]).toEqual([
      402,
      'insufficient_balance',
      'The allowance on the cold wallet has 20.00 USDC left, and 20.000001 are asked for. Raise the allowance under Treasury.',
    ]);
    const [row] = store().transfers.list({ limit: 1 });
    expect([row?.seq, row?.state, row?.signed]).toEqual([before + 1, 'denied', null]);
  });

  it.each(Object.entries(changes))('is not signed when the allowance was %s since', async (_name, change) => {
    expect(await allocateWith('before the look', change)).toMatchObject({
      status: 402,
      state: 'cancelled',
      isSigned: false,
    });
  });

  it.each(Object.entries(changes))(
    'fails on the chain, and nothing is believed, when it was %s after the last look',
    async (_name, change) => {
      const { status, state, before } = await allocateWith('once signed', change);
      expect([status, state]).toEqual([502, 'failed']);
      expect(await held()).toBe(before);
    },
  );

  it('says what the chain leaves, when it is less than was reserved', async () => {
    const { error } = await allocateWith('before the look', () => cold.allow(treasury.owner, 1n));
    expect(error).toContain('has 0.000001 USDC left, and 2.00 are asked for.');
  });

  it.each([
    ['missing', 'Send USDC to its address'],
    ['frozen', 'Nothing can be drawn from it'],
    ['delegate', 'Set it again under Treasury'],
  ] as const)(
    'is refused with what to do when its account is found %s at the last look',
    async (fault, remedy) => {
      const before = await held();
      const { status, body } = await lookingWith(
        async (read) => ({ ...(await read()), allowance: noUsdc, fault }),
        () => allocate('2.00'),
      );
      expect([status, body['error']]).toEqual([402, expect.stringContaining(remedy)]);
      await settled();
      const [row] = store().transfers.list({ limit: 1 });
      expect([row?.state, row?.signed]).toEqual(['cancelled', null]);
      expect(await held()).toBe(before);
    },
  );

  it('is one draw at a time', async () => {
    const answers = await Promise.all(['6.00', '6.00', '6.00'].map(allocate));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await cold.account()).toMatchObject({ allowance: 14n * usdc });
    await settled();
    const rows = store().transfers.list({ limit: 3 });
    expect(rows.filter(({ signed }) => signed !== null)).toHaveLength(1);
  });

  it('draws nothing while the owner has stopped it, or changes the allowance', async () => {
    expect((await post('cold/stop')).body).toMatchObject({ cold: { drawable: '0.00' } });
    expect((await allocate('0.10')).status).toBe(402);
    await post('cold/resume');
    await post('cold/pause', { paused: true });
    expect((await allocate('0.10')).body['error']).toContain('is being changed');
    await post('cold/pause', { paused: false });
    expect((await allocate('0.10')).status).toBe(200);
    await settled();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});

describe('the cold wallet', () => {
  it('is not exchanged while it allows a draw: a thief could still make it', async () => {
    const { status, body } = await post('cold', { address: other.address });
    expect([status, body['error']]).toEqual([
      409,
      `The cold wallet ${cold.address} still allows this treasury 20.00 USDC. Revoke the allowance with that wallet first.`,
    ]);
    expect((await treasury.client.call('DELETE', '/v1/cold')).status).toBe(409);
    expect(await view()).toMatchObject({ address: cold.address });
  });

  it('is not changed by choosing the same again: what was stopped stays stopped', async () => {
    await post('cold/stop');
    const before = store().cold.get();
    expect((await post('cold', { address: cold.address })).status).toBe(200);
    expect(store().cold.get()).toEqual(before);
    await post('cold/resume');
  });

  it('is chosen once when two are chosen at once', async () => {
    await cold.revoke();
    const two = await Promise.all(['a', 'b'].map(() => createColdWallet(treasury.host.rpcUrl, 0n)));
    const answers = await Promise.all(two.map(({ address }) => post('cold', { address })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await post('cold', { address: cold.address })).status).toBe(200);
  });

  it('is counted and followed for ever: one that was given up may still be drawn on', async () => {
    await cold.revoke();
    expect((await treasury.client.call('DELETE', '/v1/cold')).status).toBe(200);
    await cold.allow(treasury.owner, 3n * usdc);
    await until('the allowance', async () => (await get('dashboard')).body['exposure'].cold === '3.00');
    expect((await post('cold', { address: cold.address })).status).toBe(200);
  });

  it('that its issuer froze can be given up', async () => {
    const { chain } = treasury.host.engine.context;
    const { coldAccount } = chain;
    chain.coldAccount = async (address) => ({
      ...(await coldAccount(address)),
      allowance: noUsdc,
      fault: 'frozen',
    });
    const { status } = await treasury.client.call('DELETE', '/v1/cold');
    chain.coldAccount = coldAccount;
    expect(status).toBe(200);
    await post('cold', { address: cold.address });
  });

  it('may be spent by its owner, which is none of ours', async () => {
    await cold.send(other.address, 100_000n);
    await treasury.host.engine.context.funds.compare();
    expect((await get('dashboard')).body['frozen']).toBe(false);
  });

  it('is entered in the records only when the chain shows something else', async () => {
    await view();
    const read = vi.spyOn(store().cold, 'read');
    await treasury.host.engine.context.funds.compare();
    expect(read).not.toHaveBeenCalled();
    await cold.allow(treasury.owner, 7n * usdc);
    await treasury.host.engine.context.funds.compare();
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });
});

const remedy =
  'The issuer of USDC froze the account of the cold wallet. Nothing can be drawn from it until it is thawed: ask the issuer, and deposit USDC to the treasury itself meanwhile.';
const exposure = async () => {
  await treasury.host.engine.context.funds.compare();
  return (await get('dashboard')).body['exposure'];
};
const thief = () => {
  const taken = { from: cold.address, to: agent.wallet, units: 1n };
  return drawAsThief(treasury.host.rpcUrl, treasury.host.vault.signingKey(0), taken);
};

describe('a cold treasury whose account its issuer froze', () => {
  it('is not drawn on, and the refusal says what to do; once it is thawed it is drawn on again', async () => {
    await cold.freeze(true);
    // Not left to the follower: the refusal is then of the first decision.
    expect((await view()).fault).toBe('frozen');
    const { status, body } = await allocate('2.00');
    expect([status, body['code'], body['error']]).toEqual([402, 'insufficient_balance', remedy]);
    const [row] = store().transfers.list({ limit: 1 });
    expect([row?.state, row?.signed]).toEqual(['denied', null]);
    expect(await cold.account()).toMatchObject({ allowance: 20n * usdc });
    await cold.freeze(false);
    expect((await allocate('2.00')).status).toBe(200);
    expect([(await cold.account()).allowance, (await view()).allowance]).toEqual([18n * usdc, '18.00']);
  });

  it('counts in the honest number: the chain refuses a thief now, and no longer once it is thawed', async () => {
    const before = await exposure();
    await cold.freeze(true);
    expect(await exposure()).toMatchObject({ amount: before.amount, cold: '20.00' });
    expect(await view()).toMatchObject({ fault: 'frozen', allowance: '20.00', drawable: '0.00' });
    await expect(thief()).rejects.toThrow('custom program error: 0x11');
    await cold.freeze(false);
    expect(await view()).toMatchObject({
      fault: null,
      allowance: '20.00',
      granted: '20.00',
      drawable: '20.00',
    });
  });

  it('may be given up while nobody can revoke it, and is counted as before', async () => {
    const before = await exposure();
    await cold.freeze(true);
    await expect(cold.revoke()).rejects.toThrow('custom program error: 0x11');
    expectStatus(await treasury.client.call('DELETE', '/v1/cold'), 200);
    expect(await exposure()).toMatchObject({ amount: before.amount, cold: '20.00' });
    await cold.freeze(false);
    expectStatus(await post('cold', { address: cold.address }), 200);
  });

  it('fails a draw that was signed before, which no agent believes, and pays the next one after the thaw', async () => {
    const { chain } = treasury.host.engine.context;
    const { broadcast } = chain;
    chain.broadcast = async (wire) => {
      await cold.freeze(true);
      return broadcast(wire);
    };
    const before = await held();
    const { status, body } = await allocate('2.00').finally(() => (chain.broadcast = broadcast));
    expect([status, body['code'], body['error']]).toEqual([
      502,
      'payment_failed',
      expect.stringContaining('Pay again with a new Idempotency-Key'),
    ]);
    await settled();
    const [row] = store().transfers.list({ limit: 1 });
    expect([row?.state, row?.signed === null, await held()]).toEqual(['failed', false, before]);
    expect((await allocate('2.00')).body['error']).toBe(remedy);
    await cold.freeze(false);
    expect((await allocate('2.00')).status).toBe(200);
    expect((await agent.pay('0.50')).status).toBe(200);
    await settled();
    expect(await cold.account()).toMatchObject({ allowance: 18n * usdc });
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});

describe('a refill', () => {
  it('draws on the cold treasury within its allowance, once, and stops when the owner stops drawing', async () => {
    const { engine } = treasury.host;
    const refilled = await deploy(treasury.client, 'refilled', { allocate: null });
    await cold.allow(treasury.owner, 6n * usdc);
    await post('agents/refilled/refill', { refill: { below: '2.00', to: '5.00', perDay: '20.00' } });
    await post('cold/stop');
    await engine.refills.look();
    await settled();
    expect(await cold.account()).toMatchObject({ allowance: 6n * usdc });
    await post('cold/resume');
    // Two refills are at least a minute apart, so these looks make one.
    await Promise.all([engine.refills.look(), engine.refills.look()]);
    await engine.refills.look();
    await settled();
    expect(await cold.account()).toMatchObject({ balance: 495n * usdc, allowance: usdc });
    const rows = engine.context.store.transfers.list({ limit: 50 }).filter(({ cause }) => cause === 'refill');
    const paid = rows.filter(({ state }) => state === 'final');
    expect(paid.map(({ source, amount }) => [source, amount])).toEqual([[cold.address, 5n * usdc]]);
    expect((await refilled.pay('0.50')).status).toBe(200);
    await settled();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});

describe('a draw by a thief', () => {
  it('freezes everything when the treasury’s key draws and no row explains it', async () => {
    const { host } = treasury;
    const [from, to] = [cold.address, other.address];
    await drawAsThief(host.rpcUrl, host.vault.signingKey(0), { from, to, units: 100_000n });
    await host.engine.context.funds.compare();
    expect((await get('dashboard')).body).toMatchObject({
      frozen: true,
      freeze: { reason: expect.stringContaining('no payment explains it') },
    });
  });
});
