// Plausible bugs, each as an edit of the source, and the gate that has to catch it.
import { normalSync } from './gates/gate-4-power-loss.ts';
import type { Edit } from './source-copy.ts';

export interface Bug {
  name: string;
  edits: readonly Edit[];
}
export interface PlantedBug extends Bug {
  gate: number;
  part: string;
  /** Set when the short size does not catch it. */
  size?: 'full';
}

export const one = (file: string, from: string, to: string): readonly Edit[] => [{ file, from, to }];

const sign = 'server/engine/payment/machine/sign.ts';
const path = 'server/engine/limits/path.ts';
const guard = 'server/http/guard.ts';
const watcher = 'server/engine/payment/machine/recovery.ts';

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'sent before its commit',
    edits: one(sign, '    await durable;\n    if (after.state', '    if (after.state'),
    gate: 5,
    part: 'points',
  },
  {
    name: 'signed again instead of sent again',
    edits: [
      {
        file: 'server/engine/payment/machine/send.ts',
        from: '  chain.broadcast(row.signed.wire).catch(',
        to: '  void chain.lifetime().then((it) => chain.broadcast(steps.keys.sign(row.id, chain.build(row, it)).wire)).catch(',
      },
      {
        file: 'server/vault/signable-transfer.ts',
        from: "invariant(row.state === 'reserved',",
        to: 'invariant(row.state.length > 0,',
      },
    ],
    gate: 6,
    part: 'drops, delays, lost answers and kills',
  },
  { name: 'synchronous = NORMAL', edits: normalSync, gate: 4, part: 'every commit synced' },
  {
    name: 'a budget that does not count what is open',
    edits: one(path, 'const spent = subUsdc(usdc(reserved + final), held);', 'const spent = usdc(final);'),
    gate: 1,
    part: 'the budget under concurrency',
  },
  {
    name: 'a cooldown that starts when the payment ends',
    edits: one(
      path,
      'cooled === 0 || reservedAt !== null ? null',
      'cooled === 0 || spend.at(scope, now).open > 0n ? null',
    ),
    gate: 1,
    part: 'cap and cooldown under concurrency',
  },
  {
    name: 'the clock of the machine believed alone',
    edits: [
      {
        file: 'server/engine/domain/time.ts',
        from: 'Math.max(newest, Math.min(clock.wall(), bound()));',
        to: 'Math.max(newest, clock.wall());',
      },
      { file: 'server/engine/domain/time.ts', from: 'if (wall > bound())', to: 'if (wall > Infinity)' },
    ],
    gate: 1,
    part: 'the window under clock jumps',
  },
  {
    name: 'another body under a key answered as the first',
    edits: one(
      'server/engine/payment/decision/idempotency.ts',
      'if (known.route === route && known.bodyHash === asked) {',
      'if (known.route !== key) {',
    ),
    gate: 2,
    part: 'mismatching replays',
  },
  {
    name: 'keys pruned after a day',
    edits: one(
      'server/store/store.ts',
      '      const id = idOf(scope, key);',
      `      const id = idOf(scope, key);
      db.exec('DROP TRIGGER IF EXISTS idempotency_is_kept');
      db.prepare('DELETE FROM idempotency WHERE created_at < ?').run(now - 86_400_000);`,
    ),
    gate: 2,
    part: 'keys after 400 days',
  },
  {
    name: 'what was signed before a crash taken for dead',
    edits: one(
      watcher,
      "const toSend = open.filter((row) => row.state === 'signed' && !machine.busy(row.id));",
      `const toSend: Transfer[] = [];
      for (const row of open)
        if (row.state === 'signed' && starting) machine.applyProof(row.id, { dead: true, evidence: {} });`,
    ),
    gate: 3,
    part: 'kill points',
  },
  {
    name: 'a refund paid without looking for an earlier one',
    edits: [
      {
        file: 'server/engine/pictures/refunds.ts',
        from: 'if (last !== undefined && isOpen(last)) return;',
        to: 'if (last !== undefined && isOpen(last) && warned.has(task.id)) return;\n  if (last !== undefined) warned.add(task.id);',
      },
      {
        file: 'server/store/migrations/4-generation.ts',
        from: 'CREATE UNIQUE INDEX transfer_refund',
        to: 'CREATE INDEX transfer_refund',
      },
    ],
    gate: 3,
    part: 'kill points',
  },
  {
    name: 'a reservation released by a timeout',
    edits: one(watcher, 'machine.resend(row);', 'machine.applyProof(row.id, { dead: true, evidence: {} });'),
    gate: 6,
    part: 'drops, delays, lost answers and kills',
  },
  {
    name: 'death by the word of one RPC',
    edits: one(
      'server/solana/rpc/witnesses.ts',
      'for (const rpc of others) {',
      'for (const rpc of others.slice(1)) {',
    ),
    gate: 6,
    part: 'one of two RPCs lies',
  },
  {
    name: 'confirmed taken for final',
    edits: one(
      'server/engine/payment/machine/see.ts',
      "if (commitment === 'finalized' && row.state === 'seen')",
      "if (commitment !== 'processed' && row.state === 'seen')",
    ),
    gate: 7,
    part: 'random lives',
  },
  {
    name: 'no guard at the port',
    edits: one(
      'server/http/server.ts',
      'checkRequest(request, { port: bound, publicUrl: publicUrl() });',
      "{ name: 'local', url: `http://127.0.0.1:${bound}` };",
    ),
    gate: 8,
    part: 'Host, Origin and method',
  },
  {
    name: 'an origin that only has to contain ours',
    edits: one(
      guard,
      '!found.origins.includes(origin)',
      '!found.origins.some((own) => origin.includes(new URL(own).host))',
    ),
    gate: 8,
    part: 'Host, Origin and method',
  },
  {
    name: 'any owner is good enough',
    edits: one(
      'server/http/auth.ts',
      'if (given === owner) return;',
      'if (given !== owner.slice(1)) return;',
    ),
    gate: 8,
    part: 'confused owners',
  },
  {
    name: 'receipts granted as often as they come',
    edits: [
      {
        file: 'server/paywall/store/grant-store.ts',
        from: 'tx_signature TEXT PRIMARY KEY NOT NULL,',
        to: 'tx_signature TEXT NOT NULL,',
      },
      {
        file: 'server/paywall/store/grant-store.ts',
        from: 'selectGrant.get(txSignature) !== undefined;',
        to: 'selectGrant.get(txSignature) === null;',
      },
    ],
    gate: 9,
    part: 'receipts presented again',
  },
  {
    name: 'private addresses asked',
    edits: one(
      'server/x402/outbound.ts',
      'if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusal();',
      'if (isIP(host) < 0 && !isPublicAddress(host)) throw refusal();',
    ),
    gate: 9,
    part: 'places that are nobody’s to ask',
  },
  {
    name: 'a freeze not looked at when signing',
    edits: one(
      sign,
      '  const stop = stopFor(context, row);\n  if (stop !== null) return refusalFrom(stop);\n  if (now -',
      '  if (now -',
    ),
    gate: 9,
    part: 'freezes against payments',
    // One race in fifty meets the moment between the decision and the signature.
    size: 'full',
  },
  {
    name: 'records that nobody compares with their journal',
    edits: one(
      'server/store/records/digests.ts',
      'return named?.subject === subjectOf(table, row) && named.digest.equals(digestRow(table, row));',
      'return named?.subject === subjectOf(table, row) && digestRow(table, row).length > 0;',
    ),
    gate: 9,
    part: 'flipped bytes',
    size: 'full',
  },
  {
    name: 'an approval found by its id, whatever was shown',
    edits: one(
      'server/engine/payment/owner/approval.ts',
      'if (approval.hash !== shownHash) {',
      'if (approval.id === shownHash) {',
    ),
    gate: 9,
    part: 'approvals',
    size: 'full',
  },
  {
    name: 'amounts without a pattern',
    edits: one(
      'server/money.ts',
      'export const usdcPattern = /^(0|[1-9]\\d{0,8})(\\.\\d{1,6})?$/;',
      'export const usdcPattern = /^[^.]*(\\.[^.]*)?$/;',
    ),
    gate: 9,
    part: 'amounts as text',
    size: 'full',
  },
  {
    name: 'amounts as floating point',
    edits: one(
      'server/money.ts',
      "return BigInt(whole + fraction.padEnd(decimals, '0'));",
      'return BigInt(Math.floor(Number(`${whole}.${fraction}`) * 10 ** decimals));',
    ),
    gate: 9,
    part: 'amounts as text',
    size: 'full',
  },
  {
    name: 'a keychain that falls back to memory',
    edits: one(
      'server/vault/keychain.ts',
      "new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });",
      'new AsyncEntry(SERVICE, account);',
    ),
    gate: 9,
    part: 'a keychain that keeps',
    size: 'full',
  },
  {
    name: 'requests written to the log',
    edits: one(
      'server/http/server.ts',
      "    response.locals['door'] = checkRequest(",
      "    log.debug({ headers: request.rawHeaders }, 'asked');\n    response.locals['door'] = checkRequest(",
    ),
    gate: 9,
    part: 'canary secrets',
    size: 'full',
  },
  {
    name: 'redirects followed, with the payment in hand',
    edits: one(
      'server/x402/outbound.ts',
      '      return await sendRequest(sending);\n    } catch',
      `      const answer = await sendRequest(sending);
      const to = answer.headers['location'];
      if (answer.status < 300 || answer.status > 399 || to === undefined) return answer;
      return await sendRequest({ ...sending, url: new URL(to, sending.url) });
    } catch`,
    ),
    gate: 9,
    part: 'hostile sellers',
    size: 'full',
  },
  {
    name: 'released because the seller says "success": false',
    edits: one(
      'server/engine/purchase/show.ts',
      "  publish({ type: 'transfer', transfer: paid });\n  if (word",
      '  if (word?.success === false && isViaFacilitator(told)) context.machine.applyProof(id, { dead: true, evidence: {} });\n  if (word',
    ),
    gate: 9,
    part: 'hostile sellers',
    size: 'full',
  },
  {
    name: 'a seller’s blockhash trusted',
    edits: one(
      sign,
      'const signed = keys.sign(row.id, chain.build(row, lifetime));',
      `const said = JSON.stringify(row.purchase?.terms ?? {});
    const blockhash = /"recentBlockhash":"([^"]+)"/.exec(said)?.[1] ?? lifetime.blockhash;
    const signed = keys.sign(row.id, chain.build(row, { ...lifetime, blockhash }));`,
    ),
    gate: 9,
    part: 'hostile sellers',
    size: 'full',
  },
];
