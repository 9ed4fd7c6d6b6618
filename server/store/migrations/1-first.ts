// Agents, policies, transfers and their sums, approvals, wallets, the ledger, the journal.

export const first = /* sql */ `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE agent (
  agent_id TEXT PRIMARY KEY,
  wallet_index INTEGER NOT NULL UNIQUE CHECK (wallet_index > 0),
  wallet TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  status_reason TEXT,
  created_at INTEGER NOT NULL,
  archived_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE policy (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  version INTEGER NOT NULL CHECK (version > 0),
  daily_budget INTEGER NOT NULL CHECK (daily_budget >= 0),
  max_per_payment INTEGER NOT NULL CHECK (max_per_payment >= 0),
  cooldown_seconds INTEGER NOT NULL CHECK (cooldown_seconds BETWEEN 0 AND 2592000),
  allowed_services TEXT NOT NULL,
  approve_above INTEGER CHECK (approve_above >= 0),
  new_payees TEXT NOT NULL CHECK (new_payees IN ('allow', 'approve')),
  approval_minutes INTEGER NOT NULL CHECK (approval_minutes > 0),
  created_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL,
  UNIQUE (agent_id, version)
) STRICT;

CREATE TABLE ceiling (
  id INTEGER PRIMARY KEY,
  daily_budget INTEGER CHECK (daily_budget >= 0),
  created_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE agent_key (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  hash TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_key_agent ON agent_key (agent_id);

CREATE TABLE transfer (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('payment', 'charge', 'allocation', 'recall', 'withdrawal', 'refund')),
  agent_id TEXT REFERENCES agent (agent_id),
  wallet_index INTEGER NOT NULL CHECK (wallet_index >= 0),
  wallet TEXT NOT NULL,
  payee TEXT NOT NULL CHECK (payee <> wallet),
  asset TEXT NOT NULL CHECK (asset IN ('USDC', 'SOL')),
  amount INTEGER NOT NULL CHECK (amount > 0),
  service_id TEXT,
  service_name TEXT NOT NULL,
  description TEXT NOT NULL,
  invoice TEXT,
  state TEXT NOT NULL CHECK (state IN ('awaiting_approval', 'denied', 'reserved', 'signed', 'sent', 'seen',
    'unknown', 'final', 'failed', 'dead', 'cancelled')),
  refusal_code TEXT,
  refusal_message TEXT,
  refusal_details TEXT,
  policy_version INTEGER NOT NULL,
  approval_id TEXT,
  grant_id TEXT,
  fee_lamports INTEGER NOT NULL CHECK (fee_lamports >= 0),
  rent_lamports INTEGER NOT NULL CHECK (rent_lamports >= 0),
  created_at INTEGER NOT NULL,
  reserved_at INTEGER,
  message_hash TEXT,
  signature TEXT,
  wire BLOB,
  blockhash TEXT,
  last_valid_height INTEGER,
  signed_slot INTEGER,
  signed_height INTEGER,
  signed_at INTEGER,
  sent_at INTEGER,
  seen_at INTEGER,
  seen_slot INTEGER,
  block_time INTEGER,
  ended_at INTEGER,
  receipt TEXT,
  evidence TEXT,
  counted_at INTEGER,
  counted_amount INTEGER NOT NULL DEFAULT 0,
  is_open INTEGER NOT NULL CHECK (is_open = (state IN ('reserved', 'signed', 'sent', 'seen', 'unknown'))),
  journal_seq INTEGER NOT NULL,
  CHECK (kind NOT IN ('payment', 'charge') OR agent_id IS NOT NULL),
  CHECK (state IN ('awaiting_approval', 'denied') OR reserved_at IS NOT NULL),
  CHECK (state IN ('awaiting_approval', 'denied', 'reserved', 'cancelled') = (signature IS NULL)),
  CHECK (state NOT IN ('denied', 'failed', 'dead', 'cancelled') OR refusal_code IS NOT NULL)
) STRICT;
-- Each index costs a page in every commit that touches it: payments wait for that.
CREATE INDEX transfer_agent ON transfer (agent_id, seq);
CREATE UNIQUE INDEX transfer_signature ON transfer (signature) WHERE signature IS NOT NULL;
CREATE INDEX transfer_open ON transfer (agent_id, fee_lamports, rent_lamports) WHERE is_open = 1;
CREATE INDEX transfer_window ON transfer (agent_id, counted_at, counted_amount, fee_lamports) WHERE counted_at IS NOT NULL;
CREATE INDEX transfer_window_all ON transfer (counted_at, counted_amount, fee_lamports) WHERE counted_at IS NOT NULL;
CREATE INDEX transfer_rent ON transfer (payee, reserved_at) WHERE rent_lamports > 0;

CREATE TRIGGER transfer_end_is_final BEFORE UPDATE ON transfer
WHEN OLD.state IN ('final', 'failed', 'dead', 'cancelled', 'denied')
BEGIN SELECT RAISE(ABORT, 'a transfer that has ended never changes'); END;
CREATE TRIGGER transfer_signed_once BEFORE UPDATE ON transfer
WHEN OLD.signature IS NOT NULL AND (NEW.signature IS NOT OLD.signature OR NEW.wire IS NOT OLD.wire)
BEGIN SELECT RAISE(ABORT, 'a transfer is signed once'); END;
CREATE TRIGGER transfer_purpose_is_fixed BEFORE UPDATE OF id, kind, agent_id, wallet_index, wallet, payee, asset, amount ON transfer
BEGIN SELECT RAISE(ABORT, 'what a transfer moves never changes'); END;
CREATE TRIGGER transfer_is_kept BEFORE DELETE ON transfer
BEGIN SELECT RAISE(ABORT, 'a transfer is never deleted'); END;

-- Sums over transfer, kept so that a decision does not scan history. scope is an agent's id, or '' for all agents.
CREATE TABLE spending (
  scope TEXT PRIMARY KEY,
  edge INTEGER NOT NULL DEFAULT 0,
  open_amount INTEGER NOT NULL DEFAULT 0 CHECK (open_amount >= 0),
  open_fees INTEGER NOT NULL DEFAULT 0 CHECK (open_fees >= 0),
  final_amount INTEGER NOT NULL DEFAULT 0 CHECK (final_amount >= 0),
  final_fees INTEGER NOT NULL DEFAULT 0 CHECK (final_fees >= 0),
  lifetime_amount INTEGER NOT NULL DEFAULT 0,
  lifetime_payments INTEGER NOT NULL DEFAULT 0,
  last_reserved_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE approval (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  key_id TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('payment', 'policy', 'allocate', 'deploy', 'resume')),
  shown TEXT NOT NULL,
  hash TEXT NOT NULL,
  policy_version INTEGER NOT NULL,
  transfer_id TEXT REFERENCES transfer (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'granted', 'denied', 'expired', 'cancelled')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  result TEXT,
  journal_seq INTEGER NOT NULL,
  CHECK ((status = 'pending') = (decided_at IS NULL))
) STRICT;
CREATE INDEX approval_pending ON approval (agent_id) WHERE status = 'pending';
CREATE INDEX approval_created ON approval (created_at);

CREATE TABLE standing_grant (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  service_id TEXT NOT NULL,
  up_to INTEGER NOT NULL CHECK (up_to > 0),
  used INTEGER NOT NULL CHECK (used BETWEEN 0 AND up_to),
  until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX standing_grant_agent ON standing_grant (agent_id, service_id);

CREATE TABLE known_payee (
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  payee TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (agent_id, payee)
) STRICT, WITHOUT ROWID;

-- Never pruned: a key means the same payment for ever.
CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  route TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  transfer_id TEXT REFERENCES transfer (id),
  approval_id TEXT REFERENCES approval (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_transfer ON idempotency (transfer_id) WHERE transfer_id IS NOT NULL;

CREATE TABLE wallet (
  address TEXT PRIMARY KEY,
  wallet_index INTEGER NOT NULL UNIQUE,
  agent_id TEXT,
  balance INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
  slot INTEGER NOT NULL DEFAULT 0,
  moved_slot INTEGER NOT NULL DEFAULT 0,
  read_at INTEGER NOT NULL DEFAULT 0,
  scanned_to TEXT
) STRICT;

CREATE TABLE deposit (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tx_signature TEXT NOT NULL UNIQUE,
  sender TEXT NOT NULL,
  wallet TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  slot INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('confirmed', 'final', 'dropped')),
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX deposit_unsettled ON deposit (seq) WHERE status = 'confirmed';

-- Double entry, posted when a movement is final. The amounts of one posting sum to zero.
CREATE TABLE entry (
  seq INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  account TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0)
) STRICT;
CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE service (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  category TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('svc-native', 'model-registry', 'x402-marketplace')),
  endpoint TEXT NOT NULL,
  origin TEXT NOT NULL,
  payees TEXT NOT NULL,
  pricing TEXT NOT NULL,
  price TEXT,
  vouched INTEGER NOT NULL CHECK (vouched IN (0, 1)),
  journal_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE freeze (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  since INTEGER,
  reason TEXT,
  journal_seq INTEGER NOT NULL
) STRICT;

-- Every change of a protected row, each hash over the one before.
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  subject TEXT NOT NULL,
  created INTEGER NOT NULL CHECK (created IN (0, 1)),
  digest BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
`;
