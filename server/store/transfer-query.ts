// What a list of transfers is asked for, as SQL.
import type { TransferQuery } from '../engine/ports.ts';

const searched = [
  'id',
  'agent_id',
  'service_id',
  'service_name',
  'description',
  'payee',
  'signature',
  'refusal_message',
]
  .map((column) => `coalesce(${column}, '')`)
  .join(` || char(10) || `);
const escapeLike = (part: string): string => part.replaceAll(/[\\%_]/g, '\\$&');

export const condition = (query: Omit<TransferQuery, 'limit'>, firstSince: (time: number) => number) => {
  const parts: string[] = [];
  const values: Record<string, unknown> = {};
  const add = (sql: string, name: string, value: unknown): void => {
    parts.push(sql);
    values[name] = value;
  };
  if (query.agentId !== undefined) add('agent_id = @agentId', 'agentId', query.agentId);
  if (query.kinds !== undefined)
    add('kind IN (SELECT value FROM json_each(@kinds))', 'kinds', JSON.stringify(query.kinds));
  if (query.withoutDenied === true) parts.push(`state <> 'denied'`);
  if (query.from !== undefined) add('seq >= @first', 'first', firstSince(query.from));
  if (query.to !== undefined) add('seq < @after', 'after', firstSince(query.to + 1));
  if (query.before !== undefined) add('seq < @before', 'before', query.before);
  if (query.after !== undefined) add('seq > @afterSeq', 'afterSeq', query.after);
  if (query.serviceId !== undefined) add('service_id = @serviceId', 'serviceId', query.serviceId);
  if (query.states !== undefined)
    add('state IN (SELECT value FROM json_each(@states))', 'states', JSON.stringify(query.states));
  if (query.text !== undefined)
    add(`${searched} LIKE @text ESCAPE '\\'`, 'text', `%${escapeLike(query.text)}%`);
  return { where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
};
