// Adds everything up: the ledger and the budgets after every step, and at the end of a life the landed transactions
// and every window.
import { verifyJournal } from '../../../server/engine/records/audit.ts';
import { tokenAccountAddress } from '../../../server/solana/message.ts';
import { addresses, agentIds, mint, opening, treasury } from '../keys.ts';
import { endsOf, isFreed, principalOf, type Ask, type Notes } from './notes.ts';
import type { Landed } from '../true-chain.ts';

/** Lamports, by signature: the treasury's, and the agent's where it pays. A facilitator pays its own fees. */
const feeOf = (ask: Ask): bigint =>
  ask.via === 'x402' ? 0n : endsOf(ask).wallet === treasury ? 5_000n : 10_000n;

const changeOf = (wallet: string, ask: Ask): bigint => {
  const { wallet: from, payee } = endsOf(ask);
  return (payee === wallet ? ask.amount : 0n) - (from === wallet ? ask.amount : 0n);
};

export const createSumJudge = (notes: Notes) => {
  const { world, reference, known, keys, decisions, find } = notes;

  const judgeSums = (): void => {
    const store = world().store();
    const now = world().time.now();
    const balances = store.ledger.balances();
    let total = 0n;
    for (const [name, units] of balances) if (name.startsWith('USDC')) total += units;
    if (total !== 0n) find(`7: the entries of USDC sum to ${total}`);
    const charged = [...known.values()]
      .filter(({ state }) => state === 'final' || state === 'failed')
      .reduce((sum, { ask }) => sum + feeOf(ask), 0n);
    const fees = balances.get('SOL:network-fees') ?? 0n;
    if (fees !== charged) find(`7: the ledger has ${fees} of fees, not ${charged}`);
    const paid = [...known.values()].filter(({ state }) => state === 'final').map(({ ask }) => ask);
    for (const wallet of addresses) {
      const left = paid.reduce<bigint>((sum, ask) => sum + changeOf(wallet, ask), opening);
      const held = balances.get(`USDC:${wallet}`) ?? 0n;
      if (held !== left) find(`7: the ledger has ${held} for ${wallet}, not ${left}`);
    }
    for (const agentId of agentIds) {
      const isSuspended = store.agents.get(agentId)?.status === 'suspended';
      if (isSuspended !== reference.suspended.has(agentId))
        find(`8: ${agentId} is ${isSuspended ? '' : 'not '}suspended, by nobody's wish`);
    }
    for (const agentId of agentIds) {
      const waiting = reference.stopped(agentId) === null ? 0 : store.approvals.pending(agentId).length;
      if (waiting > 0) find(`8: ${waiting} approvals of ${agentId} still wait after a stop`);
    }
    for (const node of reference.rules.keys()) {
      const { open, final } = store.spend.at(node, now);
      const spent = reference.spent(node, now);
      if (open + final !== spent)
        find(`4: ${node || 'all'} has spent ${spent}, and the treasury says ${open + final}`);
    }
    for (const [keyId, { isEnded }] of reference.keys) {
      const key = store.keys.get(keyId);
      const works = key?.revokedAt === null && (key.expiresAt ?? Infinity) > now;
      if (isEnded && works) find(`8: the key ${keyId} has ended, and works`);
    }
    if ((store.freeze.get() !== null) !== reference.frozen)
      find(`8: everything is ${reference.frozen ? 'not ' : ''}frozen, by nobody's wish`);
  };

  const atEnd = (): void => {
    const { chain } = world();
    const store = world().store();
    const open = store.transfers.open().map(({ id, state }) => `${id} ${state}`);
    if (open.length > 0) find(`6: no end of ${open.join(', ')} although the truth is told`);
    for (const signature of notes.phone.said)
      if (!store.phones.hasWord(signature)) find(`8: a word of the phone, ${signature}, was never read`);
    const broken = verifyJournal(store);
    if (broken !== null) find(`7: ${broken}`);
    const landed = new Map(chain.landed().map((one) => [one.id, one]));
    if (landed.size !== chain.landed().length) find('3: a payment landed twice');
    for (const [id, { state }] of known) {
      const row = store.transfers.get(id);
      if (row?.state !== state)
        find(`5: payment ${id} is ${String(row?.state)} at the end, and was ${state}`);
      const isPaid = landed.get(id)?.error === null;
      if ((state === 'final') !== isPaid) find(`7: payment ${id} is ${state}, and on the chain: ${isPaid}`);
    }
    for (const [id, { from, to, amount }] of landed) {
      const ask = known.get(id)?.ask;
      if (ask === undefined) {
        find(`7: ${id} landed and is no payment`);
        continue;
      }
      const { wallet, payee } = endsOf(ask);
      if (
        amount !== ask.amount ||
        from !== tokenAccountAddress(wallet, mint) ||
        to !== tokenAccountAddress(payee, mint)
      )
        find(`7: what landed for payment ${id} is not what was asked for`);
    }
    for (const [name, bound] of keys) {
      const { id } = bound;
      if (
        store.idempotency.find(principalOf(bound), bound.key)?.transferId !== id &&
        !isFreed(store.transfers.get(id))
      )
        find(`1: key ${name} no longer names ${id}`);
    }
    judgeWindows(landed);
  };

  /** By true time: counting the transactions that landed, no decision exceeded the budget of a node of its path. */
  const judgeWindows = (landed: ReadonlyMap<string, Landed>): void => {
    const { chain } = world();
    for (const [index, { at, amount, path }] of decisions.entries()) {
      const counted = decisions.slice(0, index).flatMap((earlier) => {
        const one = landed.get(earlier.id);
        if (one === undefined || one.error !== null) return [];
        return Math.max(earlier.at, chain.blockTime(one.slot)) > at - 86_400_000 ? [earlier] : [];
      });
      for (const { node, budget } of path) {
        const sum = counted
          .filter((earlier) => earlier.path.some((its) => its.node === node))
          .reduce((total, earlier) => total + earlier.amount, amount);
        if (budget !== null && sum > budget)
          find(`4: ${sum} at ${node || 'all'} in 24 hours by true time, with a budget of ${budget}`);
      }
    }
  };

  return { judgeSums, atEnd };
};
