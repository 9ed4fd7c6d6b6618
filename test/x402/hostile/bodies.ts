// Answers that do not end, are too large, or are not HTTP.
import { gzipSync } from 'node:zlib';
import { drip, endless, mib, send } from './answers.ts';
import { nothing, unusable, type Case } from './case.ts';

export const bodies: readonly Case[] = [
  { name: 'slow-body', isSlow: true, first: (response) => drip(response, 402), ...unusable },
  { name: 'endless-body', first: (response) => endless(response, 402), ...unusable },
  {
    name: 'body-of-2-mib',
    first: (response) => send(response, 200, 'x'.repeat(2 * mib)),
    ...nothing,
    status: [200],
  },
  { name: 'silence', isSlow: true, first: () => {}, ...unusable },
  { name: 'reset', first: (response) => response.socket?.resetAndDestroy(), ...unusable },
  {
    name: 'endless-headers',
    first: (response) => {
      const { socket } = response;
      socket?.write('HTTP/1.1 402 Payment Required\r\n');
      const timer = setInterval(() => socket?.write(`x-${'y'.repeat(1_000)}: z\r\n`), 1);
      socket?.on('close', () => clearInterval(timer));
    },
    ...unusable,
  },
  { name: 'no-http', first: (response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'), ...unusable },
  {
    name: 'gzip-bomb',
    first: (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(200 * mib)));
    },
    ...nothing,
    status: [200, 501],
  },
];
