// Every version of an agent's policy as the store keeps it, and which of its fields allow more than the one before.
import Database from 'better-sqlite3';

export interface PolicyRow {
  version: number;
  daily_budget: number;
  max_per_payment: number;
  cooldown_seconds: number;
  /** JSON */
  allowed_services: string;
  approve_above: number | null;
  new_payees: string;
  approval_minutes: number;
}

/** The fields that allow more than before. */
export const looser = (from: PolicyRow, to: PolicyRow): string[] => {
  const [allowedBefore = [], allowed = []] = [from, to].map(
    (row) => JSON.parse(row.allowed_services) as string[],
  );
  // The empty list allows every service.
  const isWider =
    allowedBefore.length > 0 &&
    (allowed.length === 0 || allowed.some((service) => !allowedBefore.includes(service)));
  return [
    to.daily_budget > from.daily_budget ? 'dailyBudget' : '',
    to.max_per_payment > from.max_per_payment ? 'maxPerPayment' : '',
    to.cooldown_seconds < from.cooldown_seconds ? 'cooldownSeconds' : '',
    isWider ? 'allowedServices' : '',
    (to.approve_above ?? Infinity) > (from.approve_above ?? Infinity) ? 'approveAbove' : '',
    to.new_payees === 'allow' && from.new_payees === 'approve' ? 'newPayees' : '',
    to.approval_minutes > from.approval_minutes ? 'approvalMinutes' : '',
  ].filter((field) => field !== '');
};

/** Oldest first; the treasury must be closed. */
export const policyVersions = (file: string, agentId: string): PolicyRow[] => {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .prepare<[string], PolicyRow>('SELECT * FROM policy WHERE agent_id = ? ORDER BY version')
      .all(agentId);
  } finally {
    database.close();
  }
};
