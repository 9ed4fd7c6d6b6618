// A refusal of the treasury's in the shape of the API that was called, so that each SDK raises its own error and does not
// send the request again.
import { detailsForAgent } from '../../../contract/refusals/to-agent.ts';
import type { AppError } from '../../../errors.ts';
import { isAnthropic, type Wire } from './wires.ts';

export interface Refusal {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The types of both APIs by status: OpenAI's, then Anthropic's. */
const types: Readonly<Record<number, readonly [string, string]>> = {
  401: ['authentication_error', 'authentication_error'],
  402: ['insufficient_quota', 'billing_error'],
  403: ['permission_error', 'permission_error'],
  404: ['not_found_error', 'not_found_error'],
  409: ['conflict_error', 'conflict_error'],
  429: ['rate_limit_error', 'rate_limit_error'],
};

/**
 * A refusal before the answer has begun: the treasury's status, code and details, without the numbers of other agents.
 * `x-should-retry: false` holds both SDKs back from a second try.
 */
export const wireRefusal = (wire: Wire, error: AppError): Refusal => ({
  status: error.status,
  headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
  body: JSON.stringify(shapeOf(wire, error)),
});

/** The event that ends a stream which has begun with status 200. */
export const wireRefusalEvent = (wire: Wire, error: AppError): string =>
  `${isAnthropic(wire) ? 'event: error\n' : ''}data: ${JSON.stringify(shapeOf(wire, error))}\n\n`;

const shapeOf = (wire: Wire, { status, code, message, details }: AppError): object => {
  const other = status < 500 ? 'invalid_request_error' : null;
  const [openAi, anthropic] = types[status] ?? [other ?? 'server_error', other ?? 'api_error'];
  const shown = details === undefined ? {} : { details: detailsForAgent(details) };
  if (isAnthropic(wire))
    return { type: 'error', error: { type: anthropic, message, code, ...shown }, request_id: null };
  const [param = null] = Object.keys((details?.['fields'] as object | undefined) ?? {});
  return { error: { message, type: openAi, param, code, ...shown } };
};
