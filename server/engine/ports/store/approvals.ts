// Approvals, standing approvals and known payees in the store.
import type { Usdc } from '../../../money.ts';
import type { Approval, ApprovalStatus, StandingGrant } from '../../domain/approval.ts';

export interface ApprovalStore {
  insert(approval: Approval): void;
  get(id: string): Approval | undefined;
  pending(agentId?: string): Approval[];
  list(limit: number): Approval[];
  /** Compare-and-set from pending; false when it was decided before. */
  decide(
    id: string,
    status: Exclude<ApprovalStatus, 'pending'>,
    now: number,
    result?: Approval['result'],
  ): boolean;
  /** Sets when a pending one is denied, or takes that back. */
  denyAt(id: string, at: number | null): void;
}

export interface GrantStore {
  insert(grant: StandingGrant): void;
  list(): StandingGrant[];
  get(id: string): StandingGrant | undefined;
  /** A standing approval in force that names these payees and has this much left; of several, the first to end. */
  usable(wanted: {
    agentId: string;
    serviceId: string;
    payees: readonly string[];
    amount: Usdc;
    now: number;
    /** It was granted then or later. */
    since?: number;
  }): StandingGrant | undefined;
  draw(id: string, amount: Usdc): void;
  /** False when it had ended before. @param because the reason, when the owner did not end it */
  end(id: string, now: number, because?: string): boolean;
}

export interface PayeeStore {
  known(agentId: string, payee: string): boolean;
  /** In Unix milliseconds. */
  knownSince(agentId: string, payee: string): number | null;
  remember(agentId: string, payee: string, now: number): void;
  /** The owner's labels of addresses, by label. Agents never see them. */
  labels(): { address: string; label: string }[];
  setLabel(address: string, label: string | null): void;
}
