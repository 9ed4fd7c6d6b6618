// The owner's transfers: to an agent, back from it, and out of the treasury.
import { AppError, fieldError, invariant } from '../../errors.ts';
import { formatUsdc, type Lamports, type Usdc } from '../../money.ts';
import { refundMemo } from '../../lib/solana/transfer-memo.ts';
import type { Body, Reply } from '../../contract/schemas.ts';
import { allocationOf } from '../payment/owner/allocation.ts';
import { amountOf } from '../domain/transfer.ts';
import { announceApproval } from '../payment/owner/approval.ts';
import { openRequest, reasonShown } from '../payment/owner/ask-owner.ts';
import {
  accepted,
  agentOnRecord,
  askerOf,
  done,
  idempotencyOf,
  keyIdOf,
  notArchived,
  type EngineContext,
} from '../calls/call.ts';
import { carryOut } from '../calls/request.ts';
import { base58Bytes } from '../../lib/solana/solana-address.ts';
import { recall, remember } from '../payment/decision/idempotency.ts';
import type { Agent, Answer, Call, Intent, SomeOperations, Transfer } from '../ports.ts';
import { iso, transferView } from '../calls/views.ts';
import { endRefill } from './limits/refills.ts';

const noService = { serviceId: null, description: '', invoice: null } as const;

export const recallOf = (owner: string, agent: Agent, amount: Usdc): Intent => ({
  ...noService,
  kind: 'recall',
  agentId: agent.agentId,
  walletIndex: agent.walletIndex,
  wallet: agent.wallet,
  payee: owner,
  asset: 'USDC',
  amount,
  serviceName: `Recall from ${agent.agentId}`,
});

const withdrawalOf = (owner: string, to: string) =>
  ({
    kind: 'withdrawal',
    agentId: null,
    walletIndex: 0,
    wallet: owner,
    payee: to,
    serviceName: `Withdrawal to ${to}`,
  }) as const;

/** @throws AppError for a transfer that was refused or failed */
const transferAnswer = async (context: EngineContext, transfer: Transfer): Promise<Reply<'allocate'>> => {
  if (transfer.refusal !== null) {
    const { code, message, details } = transfer.refusal;
    throw new AppError(code, message, { ...details, transferId: transfer.id });
  }
  const { settings, store, funds } = context;
  const agent = transfer.agentId === null ? undefined : store.agents.get(transfer.agentId);
  await readEnds(context, transfer);
  const wallet = await funds.balance(agent?.wallet ?? settings.owner);
  return transferView(transfer, formatUsdc(wallet.balance));
};

/** Reads both ends again, so that the balances show a transfer as soon as it is reported. Never rejects. */
export const readEnds = async (
  { store, funds, log }: EngineContext,
  { wallet, payee }: Transfer,
): Promise<void> => {
  const managed = [wallet, payee].filter((address) => store.wallets.get(address) !== undefined);
  await funds.refresh(managed).catch((error: unknown) => {
    log.debug({ err: error }, 'a movement is made, and its balances are read later');
  });
};

export const transferOperations = (context: EngineContext) => {
  const { store, settings, funds } = context;

  const asked = (call: Call<'allocate'>, agent: Agent): Answer<'allocate'> => {
    const idempotency = idempotencyOf(call, `agent:${agent.agentId}`, 'allocate');
    const approval = store.atomically(() => {
      const known = recall(context, idempotency)?.approvalId;
      if (known != null) return store.approvals.get(known);
      const amount = formatUsdc(call.body.amount);
      const opened = openRequest(
        context,
        'allocate',
        { agentId: agent.agentId, keyId: keyIdOf(call.caller) },
        {
          amount,
          currency: 'USDC',
          ...reasonShown(call.body),
        },
      );
      remember(context, idempotency, { transferId: null, approvalId: opened.id });
      return opened;
    });
    invariant(approval !== undefined, 'a remembered approval exists');
    announceApproval(context, approval.id);
    return accepted({ approvalId: approval.id, status: approval.status, expiresAt: iso(approval.expiresAt) });
  };

  return {
    async allocate(call) {
      const agent = agentOnRecord(store, call.params.agentId);
      if (call.caller.role === 'agent') return asked(call, agent);
      const asker = askerOf(call, `agent:${agent.agentId}`, 'allocate');
      const intent = (): Intent =>
        allocationOf(context, notArchived(agent), call.body.amount, { reason: call.body.reason ?? null });
      const transfer = await carryOut(context, asker, intent, { waitMs: call.waitMs });
      return done(await transferAnswer(context, transfer));
    },

    async recall(call) {
      const agent = agentOnRecord(store, call.params.agentId);
      endRefill(context, agent);
      const asker = askerOf(call, `agent:${agent.agentId}`, 'recall');
      const intent = (): Intent => recallOf(settings.owner, agent, call.body.amount);
      return done(await transferAnswer(context, await carryOut(context, asker, intent, call)));
    },

    async withdraw(call) {
      if (call.key === null) {
        throw new AppError(
          'bad_request',
          'Idempotency-Key: a withdrawal needs this header, so that it is made once.',
        );
      }
      const { to, refundOf: sent, ...amount } = { refundOf: undefined, ...call.body };
      if (to === settings.owner) throw fieldError('to', 'this is the treasury’s own address');
      await refuseNoOwner(context, call.body);
      const intent = (): Intent => {
        if (sent !== undefined) refuseNoDeposit(context, sent, { to, ...amount });
        const named = sent === undefined ? noService : { ...noService, invoice: refundMemo(sent) };
        return { ...withdrawalOf(settings.owner, to), ...named, ...amount };
      };
      const transfer = await carryOut(context, askerOf(call, 'treasury', 'withdraw'), intent, {
        waitMs: call.waitMs,
        // In the transaction that opens the row: two requests at one moment make one refund.
        alongside() {
          if (sent !== undefined && store.books.sentBack(sent) > 1) throw sentBackAlready(sent);
        },
      });
      // The next payment's fee is judged by the SOL that is left.
      if (amount.asset === 'SOL') await funds.refreshLamports();
      return done(await transferAnswer(context, transfer));
    },
  } satisfies SomeOperations;
};

/** @throws AppError `bad_request` unless it sends back a deposit of ours to its payer, `conflict` when that was sent back */
const refuseNoDeposit = (
  { store, settings }: EngineContext,
  sent: string,
  { to, amount }: { to: string; amount: Usdc | Lamports },
): void => {
  const deposit = store.books.depositOf(sent, settings.owner);
  if (deposit === undefined)
    throw fieldError('refundOf', 'the treasury has no final deposit of this transaction');
  if (to !== deposit.from) throw fieldError('to', `must be the payer of this deposit, ${deposit.from}`);
  if (amount > deposit.amount)
    throw fieldError('amount', `must be at most the ${amountOf(deposit)} USDC of this deposit`);
  if (store.books.sentBack(sent) > 0) throw sentBackAlready(sent);
};

const sentBackAlready = (sent: string): AppError =>
  new AppError('conflict', `The deposit of ${sent} was sent back already. A deposit is sent back once.`);

/** @throws AppError `bad_request` for an address that can hold nothing of this asset, or could not be spent from */
const refuseNoOwner = async (
  { chain }: EngineContext,
  { to, asset }: Pick<Body<'withdraw'>, 'to' | 'asset'>,
): Promise<void> => {
  if (chain.isWallet(to)) return;
  if (asset === 'SOL' || base58Bytes(to, 32) === null)
    throw fieldError('to', 'this is not the address of a wallet');
  if (!(await chain.hasTokenAccount(to)))
    throw fieldError(
      'to',
      'this is not the address of a wallet, and it has no USDC account. Send to a wallet, or to a multisig that has a USDC account already',
    );
};
