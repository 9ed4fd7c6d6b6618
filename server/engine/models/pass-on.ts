// Passes the answer of a supplier on to its caller while it arrives, and reads what it reports.
import { AppError } from '../../errors.ts';
import { callerHasGone } from '../payment/decision/refusals.ts';
import type { ModelReader, SupplierAnswer } from '../ports.ts';
import type { Plan } from './plan.ts';
import type { Running } from './running.ts';
import { createStreamReader, type StreamFacts, type StreamReader } from './wire/stream-reader.ts';
import { readAnswer } from './wire/usage.ts';
import type { Wire } from './wire/wires.ts';

/** An answer that is no stream is read whole for its usage, while it is passed on. */
const mostWholeBytes = 64 * 1024 * 1024;

/** @throws what the body throws, and that of a caller who has gone */
export const passOn = async (
  one: Running,
  { read, loweredTo }: Plan,
  reader: ModelReader,
  { status, headers, body }: SupplierAnswer,
): Promise<void> => {
  const isOk = status >= 200 && status <= 299;
  const streamed = isOk && read.streams && headers['content-type']?.includes('text/event-stream') === true;
  const supplierRequest = headers['x-request-id'] ?? headers['request-id'] ?? null;
  const stream = streamed ? createStreamReader(read.wire, !read.wantsUsage) : createWholeReader(read.wire);
  one.answered({ status, streamed, supplierRequest }, stream.facts);
  reader.begin({ status, headers, requestId: one.request.id, loweredTo });
  const write = async (piece: Uint8Array): Promise<void> => {
    if (piece.byteLength > 0 && !(await reader.write(piece))) throw callerHasGone();
  };
  for await (const chunk of body) await write(stream.read(chunk));
  await write(stream.end());
};

/** The same for an answer in one piece. */
export const createWholeReader = (wire: Wire, most = mostWholeBytes): StreamReader => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  return {
    read(chunk: Uint8Array): Uint8Array {
      bytes += chunk.byteLength;
      if (bytes > most)
        throw new AppError('answer_too_large', `The supplier’s answer is larger than ${most >> 20} MiB.`);
      pieces.push(chunk);
      return chunk;
    },
    end: () => new Uint8Array(),
    facts(): StreamFacts {
      const said = readAnswer(wire, Buffer.concat(pieces));
      // A page of a gateway's with status 200 says nothing of what was billed.
      const isOfTheApi = (said.id ?? said.model ?? said.usage) !== null;
      return { ...said, began: isOfTheApi && !said.failed, whole: false };
    },
  };
};
