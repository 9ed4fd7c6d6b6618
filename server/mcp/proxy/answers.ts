// The words for the host in place of a server's answer: in a tool result that the model reads, or in a JSON-RPC error.
import { randomUUID } from 'node:crypto';
import type { AppError } from '../../errors.ts';
import { refused } from '../results.ts';
import { responseTo, type Request } from './message.ts';
import type { Held } from './payments.ts';
import { isModern } from './repeated.ts';

/** The name of a proxied call in the table of next steps. */
const proxiedCall = 'proxied_call';

/** JSON-RPC leaves codes from here on to implementations. */
const ownError = -32000;

/** @param id as JSON */
export const errorTo = (id: string, message: string): string =>
  responseTo(id, { error: { code: ownError, message } });

/** In our own words: untrusted text comes framed. */
export const errorReply = (request: Request, text: string): string =>
  request.method === 'tools/call'
    ? responseTo(request.id, {
        result: {
          ...(isModern(request) ? { resultType: 'complete' } : {}),
          content: [{ type: 'text', text }],
          isError: true,
        },
      })
    : errorTo(request.id, text);

/** A refusal with its next step. */
export const refusalText = (error: AppError): string => {
  const [first] = refused(proxiedCall, error, randomUUID()).content;
  return first?.type === 'text' ? first.text : error.message;
};

const sameCall = 'Call it again with the same arguments: it goes on with the same payment';

/** @param held null: the chain is waited for */
export const waitingText = (held: Held | null): string =>
  held === null
    ? `The payment for this call is under way and not confirmed yet. Nothing else is paid for it. ${sameCall}.`
    : `This call costs money and needs the owner’s approval, and the owner was asked (approval ${held.approvalId}). Nothing is paid yet. Tell your user. ${sameCall}; unanswered, it expires at ${held.expiresAt}.`;

export const endedText = (how: string, paymentId: string | null = null): string =>
  `The MCP server ${how}.${paymentId === null ? '' : ` It was paid for this call (payment ${paymentId}). ${sameCall}, once the server runs.`}`;
