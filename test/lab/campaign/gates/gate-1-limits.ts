// Gate 1: budget, cap and cooldown hold under concurrency, and the window under a clock that jumps.
import { formatUsdc, usdc } from '../../../../server/money.ts';
import { between, createGate, inParallel, type Sheet } from '../gate.ts';
import { createWorld, deployIn, fund, settle, sockets } from '../world.ts';
import { checkTrees } from '../limits/check-trees.ts';
import { nestedKills } from '../kills/nested-kills.ts';
import { checkWindows } from './window.ts';

const show = (units: bigint): string => formatUsdc(usdc(units));

interface Race {
  agentId: string;
  amount: bigint;
  dailyBudget: bigint;
}

const budgets = async ({ dice, short, stage, say, exactly, none, tell }: Sheet): Promise<void> => {
  const size = short ? { seeds: 2, attempts: 1_500 } : { seeds: 50, attempts: 10_000 };
  const world = await createWorld(stage);
  const life = await world.life();
  await fund(life, '500');
  const wrong: string[] = [];
  let attempts = 0;
  let admitted = 0n;
  let wanted = 0n;
  for (let seed = 0; seed < size.seeds; seed += 1) {
    const amount = BigInt(seed === 0 ? 997 : between(dice, 301, 9_999));
    const times = BigInt(seed === 0 && !short ? 1_003 : between(dice, 20, short ? 150 : 400));
    // The rest is too little for one more, and above zero.
    const dailyBudget = amount * times + BigInt(between(dice, 1, Number(amount) - 1));
    const race: Race = { agentId: `racer-${seed}`, amount, dailyBudget };
    const agent = await deployIn(life, race.agentId, {
      dailyBudget: show(dailyBudget),
      maxPerPayment: show(dailyBudget),
      allocate: show(dailyBudget * 2n),
    });
    const statuses = new Map<string, number>();
    await inParallel(sockets * 4, Array.from({ length: size.attempts }), async () => {
      const { status, body } = await agent.pay(show(amount));
      const told = status === 402 ? `402 ${String(body['code'])}` : String(status);
      statuses.set(told, (statuses.get(told) ?? 0) + 1);
    });
    attempts += size.attempts;
    const floor = dailyBudget / amount;
    wanted += floor;
    const paid = BigInt(statuses.get('200') ?? 0);
    admitted += paid;
    if (paid !== floor)
      wrong.push(`seed ${seed}: ${paid} of ${show(amount)} admitted on ${show(dailyBudget)}, not ${floor}`);
    const other = [...statuses].filter(([told]) => told !== '200' && told !== '402 daily_budget');
    if (other.length > 0) wrong.push(`seed ${seed}: answers ${JSON.stringify(other)}`);
    if (seed % 10 === 9) say(`${seed + 1} of ${size.seeds} seeds`);
  }
  const { faults, rows } = await settle(world);
  const spentBy = Map.groupBy(
    rows.filter(({ kind, state }) => kind === 'payment' && state === 'final'),
    ({ agentId }) => agentId,
  );
  exactly('attempts, on 173 sockets', attempts, size.seeds * size.attempts);
  exactly('admitted, which is the sum of floor(budget / amount)', Number(admitted), Number(wanted));
  exactly(
    'paid on the chain',
    [...spentBy.values()].reduce((sum, all) => sum + all.length, 0),
    Number(wanted),
  );
  none('budgets exceeded, or not used up', wrong);
  none('differences between treasury and chain', faults);
  tell('seeds', size.seeds);
};

const capAndCooldown = async ({ dice, short, stage, exactly, none }: Sheet): Promise<void> => {
  const size = short ? { rounds: 2, attempts: 300 } : { rounds: 20, attempts: 1_000 };
  const world = await createWorld(stage);
  const life = await world.life();
  await fund(life, '500');
  let admitted = 0;
  let over = 0;
  const wrong: string[] = [];
  for (let round = 0; round < size.rounds; round += 1) {
    const cap = BigInt(between(dice, 1_000, 90_000));
    const agent = await deployIn(life, `cool-${round}`, {
      dailyBudget: '10',
      maxPerPayment: show(cap),
      allocate: '1',
      policy: { cooldownSeconds: 3_600 },
    });
    // Half of them are above the cap, some by one unit.
    const jobs = Array.from({ length: size.attempts }, (_, n) =>
      n % 2 === 0 ? BigInt(between(dice, 1, Number(cap))) : cap + BigInt(dice.pick([1, 2, 1_000, 900_000])),
    );
    await inParallel(sockets * 4, jobs, async (amount) => {
      const { status, body } = await agent.pay(show(amount));
      if (status === 200 && amount <= cap) admitted += 1;
      else if (status === 200) over += 1;
      else if (body['code'] !== (amount > cap ? 'max_per_payment' : 'cooldown'))
        wrong.push(`${show(amount)} with a cap of ${show(cap)}: ${status} ${String(body['code'])}`);
    });
  }
  const { faults } = await settle(world);
  exactly('cooldowns that let one pass', admitted, size.rounds);
  exactly('payments above the cap', over, 0);
  none('refusals for another reason', wrong);
  none('differences between treasury and chain, after cooldowns', faults);
};

const windows = async ({ dice, short, stage, exactly, none, tell }: Sheet): Promise<void> => {
  const sequences = short ? 2_000 : 100_000;
  const report = checkWindows(stage.folder(), between(dice, 1, 2 ** 31 - 2), sequences);
  exactly('random sequences of payments and clock jumps', Math.min(report.sequences, sequences), sequences);
  none('windows over the budget by true time', report.overByTrueTime);
  none('windows over the budget by the treasury’s time', report.overByOwnTime);
  tell('payments in them', report.payments);
  tell('refused because of the clock', report.refusedByClock);
  tell('refused by the budget', report.refusedByBudget);
  await Promise.resolve();
};

const nesting = async ({ dice, short, exactly, none, tell }: Sheet): Promise<void> => {
  const size = short ? { trees: 600, steps: 110 } : { trees: 2_500, steps: 110 };
  const seed = between(dice, 1, 2 ** 31 - 2);
  const report = await checkTrees({ seed, ...size });
  none(
    'verdicts, states or sums other than the reference says',
    report.finding === null ? [] : [report.finding],
  );
  exactly('random trees of limits', report.trees, size.trees);
  exactly('budgets over after a reservation', report.over, 0);
  tell('operations on them', report.operations);
  tell('sums compared', report.sums);
  tell('budgets that a reservation was held against', report.windows);
  for (const nodes of [2, 3, 4, 5, 6])
    tell(`reserved on a path of ${nodes} nodes`, report.verdicts.get(`reserved on ${nodes} nodes`) ?? 0);
  const refused = [...report.verdicts].filter(([verdict]) => / at /.test(verdict));
  tell(
    'refused by a limit',
    refused.reduce((sum, [, times]) => sum + times, 0),
  );
};

export const gate = createGate(1, 'budget, cap, cooldown and window hold', {
  'the budget under concurrency': budgets,
  'cap and cooldown under concurrency': capAndCooldown,
  'the window under clock jumps': windows,
  'limits that nest': nesting,
  'paths of six nodes under SIGKILL': nestedKills,
});
