// The rows of transfers that count in a scope: an agent's, a group's, those of a delegated API key, or all; of these, all
// or those of one service.
import { partsOfScope, scopeOfAll, type Scope } from '../../engine/domain/limits.ts';
import { invariant } from '../../errors.ts';

const columns: Readonly<Record<string, string>> = {
  group: 'group_id',
  key1: 'key_1',
  key2: 'key_2',
  key3: 'key_3',
};

/** The column that names the node, and the node's id; no column for all rows. */
const placeOf = (scope: Scope): { column: string | null; id: string } => {
  if (scope === scopeOfAll) return { column: null, id: '' };
  const [kind = '', id] = scope.split(':', 2);
  if (id === undefined) return { column: 'agent_id', id: scope };
  const column = columns[kind];
  invariant(column !== undefined, `a scope of kind ${kind}`);
  return { column, id };
};

/** The bound parameters of a condition on rows. */
type Bound = { id: string } | { id: string; serviceId: string };

/** The same condition in two parts: an index finds the rows of the first, and the second picks among them. */
export interface Condition {
  found: string;
  picked: string;
}

/**
 * Statements for each column that names a node, prepared on first use.
 * @param prepare gets the beginning of a condition on rows: `agent_id = @id AND`, or nothing for all rows
 */
export const byScope = <T>(
  prepare: (ofScope: string, parts: Condition) => T,
): ((scope: Scope) => { sql: T; bound: Bound }) => {
  const prepared = new Map<string, T>();
  const of = (found: string, picked: string): T => {
    const condition = `${found} ${picked}`;
    const sql = prepared.get(condition) ?? prepare(condition, { found, picked });
    prepared.set(condition, sql);
    return sql;
  };
  return (scope) => {
    const { node, serviceId } = partsOfScope(scope);
    const { column, id } = placeOf(node);
    const ofNode = column === null ? '' : `${column} = @id AND`;
    if (serviceId === null) return { sql: of(ofNode, ''), bound: { id } };
    // The plus sign keeps the node's own index out: the service's holds all that is read.
    const sql = of('service_id = @serviceId AND', column === null ? '' : `+${ofNode}`);
    return { sql, bound: { id, serviceId } };
  };
};
