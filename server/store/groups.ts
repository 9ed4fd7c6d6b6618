// The owner's groups of agents.
import type { AgentGroup, Store } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

export const createGroups = (db: Db, journal: Journal): Store['groups'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO agent_group (id, name, created_at, stopped_at, archived_at, journal_seq)
    VALUES (@id, @name, @createdAt, @stoppedAt, @archivedAt, @journalSeq) RETURNING *`);
  const get = db.prepare('SELECT * FROM agent_group WHERE id = ?');
  const list = db.prepare('SELECT * FROM agent_group ORDER BY rowid');
  const update = db.prepare(/* sql */ `
    UPDATE agent_group SET name = @name, stopped_at = @stoppedAt, archived_at = @archivedAt, journal_seq = @journalSeq
    WHERE id = @id RETURNING *`);
  const known = journal.cache<AgentGroup | undefined>('agent_group');
  const groupOf = (id: string): AgentGroup | undefined => known.get(id, () => groupIn(get.get(id)));

  return {
    insert(group) {
      journal.enter('agent_group', insert.get({ ...group, journalSeq: journal.next() }), true);
    },
    get: groupOf,
    list: () => list.all().map(toGroup),
    update(id, change) {
      const group = groupOf(id);
      invariant(group !== undefined, `group ${id} exists`);
      const row = update.get({ ...group, ...change, journalSeq: journal.next() });
      journal.enter('agent_group', row, false);
      return toGroup(row);
    },
  };
};

const toGroup = mapper('agent_group', (row): AgentGroup => ({
  id: row.text('id'),
  name: row.text('name'),
  createdAt: row.integer('created_at'),
  stoppedAt: row.integerOrNull('stopped_at'),
  archivedAt: row.integerOrNull('archived_at'),
}));
const groupIn = ifAny(toGroup);
