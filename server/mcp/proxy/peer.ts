// One end of the proxy: the host, or the server that it wraps.
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createWholeLines } from './whole-lines.ts';

export interface Peer {
  /** @param closed it says nothing more */
  start(hear: (message: JSONRPCMessage) => void, closed: () => void): Promise<void>;
  /** Resolves once the message is on its way. Rejects when it cannot be. */
  send(message: JSONRPCMessage): Promise<void>;
  /** Resolves once all that was sent before has left this process. */
  flushed(): Promise<void>;
  /** Hears nothing until `resume`: what was heard is not sent on yet. */
  pause(): void;
  resume(): void;
}

/** Messages of MCP carry whole files. */
const mostMessageBytes = 64 * 1024 * 1024;

/** Lines of JSON over two streams; other lines are passed over. */
export const createStdioPeer = (input: Readable, output: Writable): Peer => {
  const lines = input.pipe(createWholeLines(mostMessageBytes));
  // The transport takes a whole line and what came with it at once.
  const transport = new StdioServerTransport(lines, output, { maxBufferSize: 2 * mostMessageBytes });
  // Many messages may wait for the same drain.
  output.setMaxListeners(0);
  return {
    async start(hear, closed) {
      // An error may quote the line that it is about, which belongs in no log.
      Object.assign(transport, { onmessage: hear, onclose: closed, onerror: () => {} });
      await transport.start();
    },
    send: (message) => transport.send(message),
    flushed: () =>
      new Promise((resolve, reject) => {
        output.write('', (error) => (error == null ? resolve() : reject(error)));
      }),
    pause: () => void lines.pause(),
    resume: () => void lines.resume(),
  };
};
