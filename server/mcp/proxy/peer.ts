// One end of the proxy: the host, or the server that it wraps.
import type { Readable, Writable } from 'node:stream';
import { readMessage, type Message } from './message.ts';
import { createWholeLines } from './whole-lines.ts';

export interface Peer {
  /** @param closed it says nothing more */
  start(hear: (message: Message) => void, closed: () => void): Promise<void>;
  /** Resolves once the message is on its way. Rejects when it cannot be. */
  send(message: Message): Promise<void>;
  /** Resolves once all that was sent before has left this process. */
  flushed(): Promise<void>;
  /** Reads nothing until `resume`: what was read is not sent on yet. */
  pause(): void;
  resume(): void;
}

/** Messages of MCP carry whole files. */
const mostMessageBytes = 64 * 1024 * 1024;
const newline = 0x0a;
const lineEnd = Buffer.of(newline);

/** Lines of JSON over two streams; other lines are passed over. */
export const createStdioPeer = (input: Readable, output: Writable): Peer => {
  const lines = input.pipe(createWholeLines(mostMessageBytes));
  // Many messages may wait for the same drain.
  output.setMaxListeners(0);
  const flushed = (): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write('', (error) => (error == null ? resolve() : reject(error)));
    });
  return {
    async start(hear, closed) {
      lines.on('data', (whole: Buffer) => {
        for (let from = 0, end; (end = whole.indexOf(newline, from)) !== -1; from = end + 1) {
          const message = readMessage(whole.subarray(from, end));
          if (message !== null) hear(message);
        }
      });
      // An error may quote the line that it is about, which belongs in no log.
      lines.on('error', () => {});
      lines.once('close', closed);
    },
    send({ bytes }) {
      if (output.write(Buffer.concat([bytes, lineEnd]))) return Promise.resolve();
      return flushed();
    },
    flushed,
    pause: () => void lines.pause(),
    resume: () => void lines.resume(),
  };
};
