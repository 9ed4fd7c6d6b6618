// Output of the host, from the log of its system calls: answers that a client may rely on, and transactions that can
// land.
import type { SystemCall } from './trace-log.ts';

export interface Acknowledged {
  /** The line of the call with which it began to leave. */
  line: number;
  id: string;
  /** The reported status. */
  status: string;
  /** The seller's answer went out with it. */
  delivered: boolean;
}

export interface Sent {
  line: number;
  /** Base64. */
  wire: string;
}

const isConnection = ({ target }: SystemCall): boolean => target?.startsWith('TCP') ?? false;
const isWrite = ({ name }: SystemCall): boolean => ['write', 'writev', 'sendto', 'sendmsg'].includes(name);

/** Every answer of status 2xx that names a payment, an allocation or a task. */
export const acknowledgedIn = (calls: readonly SystemCall[]): Acknowledged[] =>
  calls.flatMap((call) => {
    if (!isWrite(call) || !isConnection(call)) return [];
    const text = call.data.toString('latin1');
    if (!/^HTTP\/1\.1 2\d\d /.test(text)) return [];
    const body = bodyOf(text);
    if (body === null) return [];
    const paid = body['payment'] ?? body;
    // A task names its payment too; the status is the task's.
    const id = paid.taskId ?? paid.paymentId ?? paid.transferId;
    if (typeof id !== 'string' || typeof paid.status !== 'string') return [];
    return [{ line: call.line, id, status: paid.status, delivered: 'payment' in body }];
  });

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
const bodyOf = (text: string): Record<string, any> | null => {
  try {
    const body: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
    return typeof body === 'object' && body !== null ? body : null;
  } catch {
    return null;
  }
};

/** Every transaction that went to the chain or to a seller. */
export const sentIn = (calls: readonly SystemCall[]): Sent[] =>
  calls.flatMap((call) => {
    if (!isWrite(call) || !isConnection(call)) return [];
    const wire = wireIn(call.data.toString('latin1'));
    return wire === null ? [] : [{ line: call.line, wire }];
  });

const wireIn = (text: string): string | null => {
  if (text.includes('"sendTransaction"'))
    return /"params":\["([A-Za-z0-9+/=]{100,})"/.exec(text)?.[1] ?? null;
  const header = /\r\npayment-signature: ([A-Za-z0-9+/=_-]+)\r\n/i.exec(text)?.[1];
  if (header === undefined) return null;
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    payload: { transaction: string };
  };
  return payload.transaction;
};
