// Turns a query for a list of transfers into SQL.
import type { TransferKind, TransferQuery, TransferState } from '../../engine/ports.ts';
import { isOpen } from '../../engine/domain/states.ts';

/** In the words of the index `transfer_unusual`: SQLite uses a partial index only when it finds the same words. */
export const unusual = `state IN ('awaiting_approval', 'denied', 'unknown', 'failed', 'dead', 'cancelled')`;
/** In the words of the index `transfer_movement`. */
const movement = `kind <> 'payment'`;

const isUnusual = (state: TransferState): boolean => unusual.includes(`'${state}'`);
const isMovement = (kind: TransferKind): boolean => kind !== 'payment';

const searched = ['agent_id', 'service_id', 'service_name', 'description', 'refusal_message']
  .map((column) => `coalesce(${column}, '')`)
  .join(` || char(10) || `);
/** A whole id or signature is looked up by its index, not searched for in the texts of millions of rows. */
const wholeId = /^[a-z]{2,8}_[0-9a-z]{29}$/;
const wholeSignature = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;
/** A hit in the middle of these would not explain itself. They are searched from so many letters on. */
const beginning = /^([a-z]{2,8}_[0-9a-z]+|[1-9A-HJ-NP-Za-km-z]{4,88})$/;
const begins = ['id', 'payee', 'signature']
  .map((column) => ` OR substr(${column}, 1, length(@begin)) = @begin`)
  .join('');
const escapeLike = (part: string): string => part.replaceAll(/[\\%_]/g, '\\$&');

/** In the words of `outcomeOf`: paid as far as the chain has shown, and not delivered. */
export const undelivered = `(state IN ('seen', 'final') AND kind = 'payment' AND EXISTS
  (SELECT 1 FROM purchase WHERE transfer_id = transfer.id AND delivery = 'undelivered'))`;

/** Of `byAmount`: the largest amount first, USDC before SOL. */
export const largestFirst = `asset = 'SOL', amount DESC, seq DESC`;

/** The FROM and WHERE of a query, and the values of its parameters. */
export const condition = (query: Omit<TransferQuery, 'limit'>) => {
  const parts: string[] = [];
  const values: Record<string, unknown> = {};
  const add = (sql: string, name: string, value: unknown): void => {
    parts.push(sql);
    values[name] = value;
  };
  if (query.agentId !== undefined) add('agent_id = @agentId', 'agentId', query.agentId);
  if (query.delegate !== undefined)
    add(`key_${query.delegate.level} = @keyId`, 'keyId', query.delegate.keyId);
  if (query.kinds?.every(isMovement) === true) parts.push(movement);
  const states = query.states ?? [];
  if (states.length > 0 && states.every(isUnusual)) parts.push(unusual);
  const onlyOpen = states.length > 0 && states.every((state) => isOpen({ state }));
  if (onlyOpen) parts.push('is_open = 1');
  if (query.kinds !== undefined)
    add('kind IN (SELECT value FROM json_each(@kinds))', 'kinds', JSON.stringify(query.kinds));
  if (query.withoutDenied === true) parts.push(`state <> 'denied'`);
  if (query.before !== undefined) add('seq < @before', 'before', query.before);
  if (query.after !== undefined) add('seq > @after', 'after', query.after);
  if (query.serviceId !== undefined)
    add(
      // An agent has fewer payments than a service may have: the plus keeps SQLite to the agent's index.
      query.agentId === undefined ? 'service_id = @serviceId' : '+service_id = @serviceId',
      'serviceId',
      query.serviceId,
    );
  if (query.states !== undefined) {
    // Named one by one: SQLite assumes that a list of unknown length is longer than the index's own.
    parts.push(`state IN (${query.states.map((_, index) => `@state${index}`).join()})`);
    for (const [index, state] of query.states.entries()) values[`state${index}`] = state;
  }
  if (query.undelivered !== undefined) parts.push(`${query.undelivered ? '' : 'NOT '}${undelivered}`);
  if (query.refusedWith !== undefined)
    add(
      `coalesce(refusal_code, '') ${query.refusedWith.is ? '' : 'NOT '}IN (SELECT value FROM json_each(@codes))`,
      'codes',
      JSON.stringify(query.refusedWith.codes),
    );
  for (const [name, sign] of [
    ['behind', '>'],
    ['ahead', '<'],
  ] as const) {
    const row = query[name];
    if (row === undefined) continue;
    parts.push(`(asset = 'SOL', -amount, -seq) ${sign} (@${name}Sol, @${name}Amount, @${name}Seq)`);
    values[`${name}Sol`] = row.asset === 'SOL' ? 1 : 0;
    values[`${name}Amount`] = -row.amount;
    values[`${name}Seq`] = -row.seq;
  }
  if (query.text !== undefined && wholeId.test(query.text)) add('id = @text', 'text', query.text);
  else if (query.text !== undefined && wholeSignature.test(query.text))
    // A transfer that was restored from the chain may have `#` and a number after its signature.
    add(`signature >= @text AND signature < @text || '$'`, 'text', query.text);
  else if (query.text !== undefined) {
    const isBeginning = beginning.test(query.text);
    parts.push(
      `(${searched} LIKE @text ESCAPE '\\' OR agent_id IN (SELECT value FROM json_each(@named))${isBeginning ? begins : ''})`,
    );
    values['text'] = `%${escapeLike(query.text)}%`;
    values['named'] = JSON.stringify(query.named ?? []);
    if (isBeginning) values['begin'] = query.text;
  }
  return {
    // Few rows are open, and SQLite does not know that.
    from: onlyOpen ? 'transfer INDEXED BY transfer_open' : 'transfer',
    where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`,
    values,
  };
};
