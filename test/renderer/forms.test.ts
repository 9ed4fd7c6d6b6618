// What forms make of what an owner types: amounts, refusals, the first start, a new agent, policies, raises.
import { describe, expect, it, afterEach } from 'vitest';
import { acceleratorOf, inWords } from '../../renderer/screens/settings/accelerator.ts';
import { mostOf, notSent, withdrawalErrors } from '../../renderer/screens/treasury/withdrawal.ts';
import { amountRule, limitRule } from '../../renderer/shared/amount-rule.ts';
import { fieldErrors } from '../../renderer/shared/field-errors.ts';
import { endsTransfer } from '../../renderer/shared/transfer-key.ts';
import { shareOf, gaugeColor, percentOf, percentText } from '../../renderer/shared/share.ts';
import { timeLeft } from '../../renderer/shared/time-left.ts';
import { AppError, fieldErrors as refusalOfFields } from '../../server/errors.ts';
import { probablyMeant } from '../../renderer/shared/comma.ts';
import { passphraseStrength } from '../../renderer/screens/first-run/passphrase-strength.ts';
import {
  setUpErrors,
  setUpInput,
  wordsOf,
  type SetUpValues,
} from '../../renderer/screens/first-run/setup-form.ts';
import { policyForm, type PolicyValues } from '../../renderer/screens/agents/limits/policy-form.ts';
import { changesOf } from '../../renderer/screens/agents/limits/rule-changes.ts';
import { policyInReply, usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import { type Policy } from '../../renderer/screens/agents/limits/policy-sentence.ts';
import { setApi } from '../../renderer/api/owner.ts';
import { agentIdRule, proposeAgentId } from '../../renderer/screens/agents/agent-id.ts';
import {
  createAgent,
  newAgentErrors,
  type NewAgentValues,
} from '../../renderer/screens/agents/new/new-agent.ts';
import { raiseOf } from '../../server/contract/limits/raise.ts';

describe('an amount', () => {
  it('is a decimal above zero of its asset', () => {
    expect([amountRule('1.50'), amountRule(' 0.000001 '), amountRule('0.000000001', 'SOL')]).toEqual([
      null,
      null,
      null,
    ]);
    for (const wrong of ['', '0', '0.00', '1,5', '-1', '1e3', '0.0000001']) {
      expect(amountRule(wrong), wrong).not.toBeNull();
    }
  });

  it('may be zero where it is a limit', () => {
    expect([limitRule('0'), limitRule('x')]).toEqual([null, expect.any(String)]);
  });

  it('fills a bar from nothing to all, and never more', () => {
    expect([shareOf('0', '5'), shareOf('1.25', '5'), shareOf('7', '5'), shareOf('1', '0')]).toEqual([
      0, 25, 100, 100,
    ]);
    expect(shareOf('999999999.999999', '999999999.999999')).toBe(100);
  });
});

const refusal = (code: ConstructorParameters<typeof AppError>[0]): AppError => new AppError(code, 'x');

describe('the idempotency key of a transfer', () => {
  it('is dropped only when the transfer can no longer happen', () => {
    for (const code of ['bad_request', 'insufficient_balance', 'payment_failed'] as const) {
      expect(endsTransfer(refusal(code)), code).toBe(true);
    }
    for (const code of ['internal', 'halted', 'locked', 'idempotency_conflict'] as const) {
      expect(endsTransfer(refusal(code)), code).toBe(false);
    }
    expect(endsTransfer(new Error('the connection was lost'))).toBe(false);
  });

  it('keeps the form from saying that nothing was sent when that is unknown', () => {
    expect(notSent(refusal('insufficient_balance'))).toBe('Nothing was sent.');
    expect(notSent(new Error('lost'))).not.toContain('Nothing was sent');
    expect(notSent(refusal('idempotency_conflict'))).toContain('may be under way');
  });
});

describe('a refused form', () => {
  it('shows the treasury’s errors at the fields that they name', () => {
    const error = refusalOfFields({
      to: 'must be a Solana address',
      amount: 'must be greater than zero',
    });
    expect(fieldErrors(error, ['to', 'amount'])).toEqual({
      to: 'It must be a Solana address.',
      amount: 'It must be greater than zero.',
    });
  });

  it('shows other errors for the form as a whole', () => {
    expect(fieldErrors(refusalOfFields({ other: 'is wrong' }), ['to'])).toBeNull();
    expect(fieldErrors(new AppError('locked', 'to: x'), ['to'])).toBeNull();
    expect(fieldErrors(null, ['to'])).toBeNull();
  });
});

const refused = (available: unknown, unit: string): Error =>
  new AppError('insufficient_balance', 'x', { available, unit });

describe('a withdrawal', () => {
  const own = '5vHd9y3HQec8EFBR8sr2ZLF5RsS4DbuazrtrAknpJpNo';
  const held = { USDC: '12.50', SOL: '1.00' };
  const other = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
  it('needs the address of another wallet and an amount', () => {
    expect(withdrawalErrors({ asset: 'USDC', to: other, amount: '1' }, own, held)).toEqual({});
    expect(withdrawalErrors({ asset: 'SOL', to: other, amount: '0.000000001' }, own, held)).toEqual({});
    expect(
      Object.keys(withdrawalErrors({ asset: 'USDC', to: 'me', amount: '0.000000001' }, own, held)),
    ).toEqual(['to', 'amount']);
    expect(withdrawalErrors({ asset: 'USDC', to: own, amount: '1' }, own, held)['to']).toContain(
      'own address',
    );
  });

  it('is no more than the treasury holds', () => {
    expect(withdrawalErrors({ asset: 'USDC', to: other, amount: '12.50' }, own, held)).toEqual({});
    expect(withdrawalErrors({ asset: 'USDC', to: other, amount: '99999999' }, own, held)).toEqual({
      amount: 'At most 12.50 USDC can be withdrawn now.',
    });
    expect(withdrawalErrors({ asset: 'SOL', to: other, amount: '1.000000001' }, own, held)).toEqual({
      amount: 'At most 1.00 SOL can be withdrawn now.',
    });
  });

  it('offers the amount that the treasury can send', () => {
    expect(mostOf(refused('1500000', 'micro-USDC'))).toEqual({ asset: 'USDC', amount: '1.50' });
    expect(mostOf(refused('1500000', 'lamports'))).toEqual({ asset: 'SOL', amount: '0.0015' });
    expect([mostOf(refused('0', 'lamports')), mostOf(refused('1.5', 'x')), mostOf(null)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

const pressed = (code: string, more: object = {}) =>
  acceleratorOf({
    key: '?',
    code,
    ctrlKey: false,
    altKey: false,
    shiftKey: false,
    metaKey: false,
    ...more,
  });

describe('an amount with a comma', () => {
  it('is asked about where the browser’s language writes so, and nowhere else', () => {
    expect(
      ['1,5', ' 0,000001 ', '1.500,25', '1 500,25', '007,5'].map((text) => probablyMeant(text, ',')),
    ).toEqual(['1.5', '0.000001', '1500.25', '1500.25', '7.5']);
    expect(
      ['1.5', '1,500.25', '1,', ',5', '1,5,5', '1500', 'a,b', '-1,5'].map((text) => probablyMeant(text, ',')),
    ).toEqual(Array.from({ length: 8 }, () => null));
    expect(probablyMeant('1,5', '.')).toBeNull();
  });
});

describe('a shortcut', () => {
  it('is named by the places of its keys', () => {
    expect(pressed('KeyX', { ctrlKey: true, altKey: true, shiftKey: true })).toBe('Control+Alt+Shift+X');
    expect(pressed('Digit1', { metaKey: true, shiftKey: true })).toBe('Super+Shift+1');
    expect(pressed('F12', { altKey: true })).toBe('Alt+F12');
  });

  it('needs Ctrl, Alt or Command, and another key', () => {
    expect([pressed('KeyX'), pressed('KeyX', { shiftKey: true })]).toEqual([null, null]);
    expect(pressed('ControlLeft', { ctrlKey: true })).toBeNull();
  });

  it('is shown in the system’s words', () => {
    expect(inWords('CommandOrControl+Alt+Shift+X', 'linux')).toBe('Ctrl + Alt + Shift + X');
    expect(inWords('CommandOrControl+Alt+X', 'darwin arm64')).toBe('Command + Option + X');
  });
});

describe('the time left', () => {
  it('is shown with its two largest units', () => {
    const seconds = [-1, 0.2, 59, 60, 754, 3_600, 5_430, 90_000];
    expect(seconds.map((each) => timeLeft(each * 1_000))).toEqual([
      'no time',
      '1 s',
      '59 s',
      '1 min',
      '12 min 34 s',
      '1 h',
      '1 h 30 min',
      '1 d 1 h',
    ]);
  });
});

const phrase = Array.from({ length: 24 }, (_, index) => `word${String.fromCharCode(97 + index)}`).join(' ');
const values: SetUpValues = {
  network: 'mainnet',
  rpcUrl: 'https://rpc.example.com',
  way: 'create',
  phrase: '',
  passphrase: 'a long passphrase',
  again: 'a long passphrase',
};

describe('the first start', () => {
  it('needs and sends nothing for the sandbox', () => {
    const sandbox: SetUpValues = { ...values, network: 'sandbox', rpcUrl: '', way: 'import', phrase };
    expect(setUpErrors(sandbox, false)).toEqual({});
    expect(setUpInput(sandbox, false)).toEqual({ network: 'sandbox' });
  });

  it('needs an RPC, and a passphrase twice, on mainnet', () => {
    const empty = { ...values, rpcUrl: '', passphrase: '', again: '' };
    expect(Object.keys(setUpErrors(empty, false))).toEqual(['rpcUrl', 'passphrase']);
    expect(Object.keys(setUpErrors({ ...values, again: 'a long passphrasd' }, false))).toEqual(['again']);
    expect(setUpErrors(values, false)).toEqual({});
  });

  it('accepts no passphrase on devnet, but not two different ones', () => {
    const devnet: SetUpValues = { ...values, network: 'devnet', passphrase: '', again: '' };
    expect(setUpErrors(devnet, false)).toEqual({});
    expect(setUpInput(devnet, false)).toEqual({ network: 'devnet', rpcUrl: values.rpcUrl });
    expect(Object.keys(setUpErrors({ ...devnet, passphrase: 'a long passphrase' }, false))).toEqual([
      'again',
    ]);
  });

  it('accepts 24 words in any layout', () => {
    const numbered = phrase
      .toUpperCase()
      .split(' ')
      .map((word, index) => `${index + 1}. ${word}`)
      .join('\n');
    expect(wordsOf(numbered).join(' ')).toBe(phrase);
    const imported: SetUpValues = { ...values, way: 'import', phrase: numbered };
    expect(setUpErrors(imported, false)).toEqual({});
    expect(setUpInput(imported, false)).toMatchObject({ phrase });
    expect(setUpErrors({ ...imported, phrase: 'only three words' }, false).phrase).toContain('these are 3');
  });

  it('never sends a phrase to a treasury that exists already', () => {
    const imported: SetUpValues = { ...values, way: 'import', phrase };
    expect(setUpInput(imported, true)).not.toHaveProperty('phrase');
    expect(setUpErrors({ ...imported, again: '' }, true)).toEqual({});
  });

  it('sends no phrase that was typed before the owner chose to make a new one', () => {
    expect(setUpInput({ ...values, phrase }, false)).not.toHaveProperty('phrase');
  });
});

describe('the hint about a passphrase', () => {
  it.each([
    ['short', 'seven77'],
    ['weak', 'aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['weak', 'password'],
    ['fair', 'correct horse'],
    ['strong', 'Correct horse, battery staple 9'],
  ])('says %s of "%s"', (strength, text) => {
    expect(passphraseStrength(text)).toBe(strength);
  });
});

const { errorsOf, followed, statedOf: policyOf, valuesOf } = policyForm;

const policy: Policy = {
  ...policyInReply(usualPolicy),
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  cooldownSeconds: 5_400,
  allowedServices: ['weather'],
  approveAbove: '0.50',
  newPayees: 'approve',
  approvalMinutes: 15,
};

const valuesPolicyForm = valuesOf(policy);
const [one, two, three] = [{ dailyBudget: '1.00' }, { dailyBudget: '2.00' }, { dailyBudget: '3.00' }];

describe('the form of a policy', () => {
  it.each([0, 1, 90, 600, 5_400, 3_600, 86_400, 2_592_000])(
    'returns an unchanged policy, with a cooldown of %i s',
    (cooldownSeconds) => {
      const before = { ...policy, cooldownSeconds };
      expect(policyOf(valuesOf(before))).toEqual(before);
      expect(changesOf(before, policyOf(valuesOf(before)) ?? policy)).toEqual({});
    },
  );

  it('shows a cooldown in the largest unit that divides it', () => {
    expect(valuesOf(policy)).toMatchObject({
      cooldownSeconds: { count: '90', unit: 'minutes' },
    });
    expect(valuesOf({ ...policy, cooldownSeconds: 172_800 })).toMatchObject({
      cooldownSeconds: { count: '2', unit: 'days' },
    });
  });

  it('drops the amount to ask above when asking is off', () => {
    expect(
      policyOf({ ...valuesPolicyForm, approveAbove: { ...valuesPolicyForm.approveAbove, isSet: false } })
        ?.approveAbove,
    ).toBeNull();
  });

  it.each([
    ['dailyBudget', { dailyBudget: '1,5' }],
    ['dailyBudget', { dailyBudget: '' }],
    ['maxPerPayment', { maxPerPayment: '-1' }],
    ['approveAbove.value', { approveAbove: { isSet: true, value: 'much' } }],
    ['cooldownSeconds.count', { cooldownSeconds: { count: '1.5', unit: 'minutes' } }],
    ['cooldownSeconds.count', { cooldownSeconds: { count: '43201', unit: 'minutes' } }],
    ['approvalMinutes', { approvalMinutes: '0' }],
    ['approvalMinutes', { approvalMinutes: '1441' }],
  ] as [string, Partial<PolicyValues>][])('refuses %s: %o', (path, change) => {
    const wrong = { ...valuesPolicyForm, ...change };
    expect(Object.keys(errorsOf(wrong))).toEqual([path]);
    expect(policyOf(wrong)).toBeNull();
  });

  it('treats the same amount in another spelling as no change', () => {
    expect(changesOf(policy, { ...policy, dailyBudget: '5', approveAbove: '0.5' })).toEqual({});
  });

  it('sends only the changed fields', () => {
    expect(
      changesOf(policy, { ...policy, approveAbove: null, allowedServices: [], maxPerPayment: '1.01' }),
    ).toEqual({ approveAbove: null, allowedServices: [], maxPerPayment: '1.01' });
  });

  it('follows a policy that changes meanwhile, but keeps the owner’s input', () => {
    const old = valuesOf(policy);
    const typed = { ...old, maxPerPayment: '0.75' };
    const next = valuesOf({ ...policy, dailyBudget: '2.00', maxPerPayment: '0.50' });
    expect(followed(typed, old, next)).toEqual({ ...next, maxPerPayment: '0.75' });
  });

  it('sends the changed limits at services alone', () => {
    const [old, next] = [
      { maps: two, news: two },
      { maps: one, art: two },
    ].map((serviceLimits) => ({
      ...policy,
      serviceLimits,
    }));
    if (old === undefined || next === undefined) throw new Error('two policies');
    expect(changesOf(old, next)).toEqual({ serviceLimits: { maps: one, news: null, art: two } });
    expect(changesOf(old, { ...old, dailyBudget: '1.00' })).toEqual({ dailyBudget: '1.00' });
  });

  it.each([
    ['another is added', { maps: one }, { maps: two, news: two }, { maps: one, news: two }],
    ['another is taken away', { maps: one, art: two }, { maps: two }, { maps: one }],
    ['another is raised', { maps: one, art: two }, { maps: two, art: one }, { maps: one, art: one }],
    ['the same is raised', { maps: one, art: two }, { maps: three, art: two }, { maps: one, art: two }],
    ['another is added, and the owner took all away', null, { maps: two, news: two }, { news: two }],
    ['none is left, and the owner took one away', { art: two }, null, null],
  ])('keeps the owner’s limit at a service while %s', (_how, typed, next, shown) => {
    const [old, now, then] = [{ maps: two, art: two }, typed, next].map((serviceLimits) =>
      valuesOf({ ...policy, serviceLimits }),
    );
    if (old === undefined || now === undefined || then === undefined) throw new Error('three forms');
    expect(policyOf(followed(now, old, then))?.serviceLimits).toEqual(shown);
  });

  it('keeps one amount at a service that the owner typed, and follows the others there', () => {
    const old = { maps: { dailyBudget: '2.00', maxPerPayment: '1.00' } };
    const typed = { maps: { dailyBudget: '3.00', maxPerPayment: '1.00' } };
    const tightened = { maps: { dailyBudget: '1.50', monthlyBudget: '9.00', maxPerPayment: '0.10' } };
    const [before, now, then] = [old, typed, tightened].map((serviceLimits) => ({
      ...policy,
      serviceLimits,
    }));
    if (before === undefined || now === undefined || then === undefined) throw new Error('three policies');
    const saved = policyOf(followed(valuesOf(now), valuesOf(before), valuesOf(then)));
    expect(saved?.serviceLimits).toEqual({ maps: { ...tightened.maps, dailyBudget: '3.00' } });
  });

  it('follows a field that is switched off, whatever was typed in it', () => {
    const old = valuesOf({ ...policy, approveAbove: null });
    const typed = { ...old, approveAbove: { isSet: false, value: 'much' } };
    expect(followed(typed, old, valuesOf(policy)).approveAbove).toEqual({ isSet: true, value: '0.50' });
  });
});

const valuesNewAgent: NewAgentValues = {
  name: 'Trip planner',
  agentId: 'trip-planner',
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  allocation: '10.00',
  askBefore: ['new_payees', 'unusual'],
};
const mcpConfig = { command: 'node', args: [], env: { TREASURY_API_KEY: 'atk_1' } };

/** Records the requests, and refuses the one that `failing` names. */
const recordAsks = (failing: readonly string[] = []): { name: string; input: unknown }[] => {
  const asked: { name: string; input: unknown }[] = [];
  setApi({
    ask(name, input) {
      asked.push({ name, input });
      if (failing.includes(name)) return Promise.reject(new AppError('locked', 'It is locked.'));
      return Promise.resolve({ mcpConfig } as never);
    },
    listen: () => () => {},
  });
  return asked;
};

afterEach(() => setApi(null));

describe('making an agent', () => {
  it('deploys with its safeguards, and only then gives it money under the one idempotency key', async () => {
    const asked = recordAsks();
    const created = await createAgent(valuesNewAgent, 'key-1', () => {});
    expect(asked.map(({ name }) => name)).toEqual(['deploy', 'allocate']);
    expect(asked[0]?.input).toMatchObject({ body: { askBefore: ['new_payees', 'unusual'] } });
    expect(asked[1]?.input).toMatchObject({ body: { amount: '10.00' }, key: 'key-1' });
    expect(created).toEqual({ agentId: 'trip-planner', name: 'Trip planner', mcpConfig, problems: [] });
  });

  it('shows the API key when the money could not be moved', async () => {
    recordAsks(['allocate']);
    const created = await createAgent(valuesNewAgent, 'key-1', () => {});
    expect(created.mcpConfig).toBe(mcpConfig);
    expect(created.problems.join()).toContain('It is locked.');
  });

  it('reports that no agent was made when the request was refused', async () => {
    const asked = recordAsks(['deploy']);
    await expect(createAgent(valuesNewAgent, 'key-1', () => {})).rejects.toThrow('It is locked.');
    expect(asked).toHaveLength(1);
  });

  it('moves nothing when no amount was given', async () => {
    for (const allocation of ['', ' ', '0', '0.00']) {
      const asked = recordAsks();
      await createAgent({ ...valuesNewAgent, allocation, askBefore: [] }, 'key-1', () => {});
      expect(asked.map(({ name }) => name)).toEqual(['deploy']);
    }
  });

  it('refuses more than the treasury holds before asking', () => {
    expect(newAgentErrors(valuesNewAgent, 10_000_000n)).toEqual({});
    expect(Object.keys(newAgentErrors(valuesNewAgent, 9_999_999n))).toEqual(['allocation']);
    expect(Object.keys(newAgentErrors({ ...valuesNewAgent, name: ' ', agentId: '-x' }, 10_000_000n))).toEqual(
      ['name', 'agentId'],
    );
  });
});

describe('the id that a name proposes', () => {
  it.each([
    ['Trip planner!', 'trip-planner'],
    ['  Über Größe  ', 'uber-gro-e'],
    ['日本', ''],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('"%s" gives "%s"', (name, id) => {
    expect(proposeAgentId(name)).toBe(id);
    if (id !== '') expect(agentIdRule(id)).toBeNull();
  });
});

describe('a raise', () => {
  it.each([
    ['5.00', '50.00', null],
    ['5.00', '50.000001', 10],
    ['5.00', '500', 100],
    ['5', '1', null],
    ['5', 'x', null],
    ['', '500', null],
  ])('from %s to %s is %s times', (before, after, times) => {
    expect(raiseOf('Daily budget', before, after)?.times ?? null).toBe(times);
  });

  it('from nothing is asked about above 10 USDC, without a multiple', () => {
    expect(raiseOf('Daily budget', '0', '10')).toBeNull();
    expect(raiseOf('Daily budget', '0.00', '500')).toEqual({
      label: 'Daily budget',
      before: '0.00',
      after: '500',
      times: null,
    });
  });
});

describe('a gauge', () => {
  it('continues beyond a hundred per cent, in red', () => {
    expect(percentOf('7.935005', '1.00')).toBe(793);
    expect([percentText(793), percentText(12_345), percentText(percentOf('1', '0'))]).toEqual([
      '793%',
      '12,345%',
      '',
    ]);
    expect(['0', '0.000001', '0.01', '0.05'].map((used) => percentText(percentOf(used, '5.00')))).toEqual([
      '0%',
      'under 1%',
      'under 1%',
      '1%',
    ]);
    expect([79, 80, 99, 100, 793].map(gaugeColor)).toEqual(['teal', 'yellow', 'yellow', 'red', 'red']);
  });
});
