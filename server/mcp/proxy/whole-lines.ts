// Passes on bytes in whole lines, so that whatever reads them joins a long line once and not with every piece of it.
import { Transform, type TransformCallback } from 'node:stream';

const newline = 0x0a;

/** @param mostBytes of one line: a longer one is an error, and ends the stream */
export const createWholeLines = (mostBytes: number): Transform => {
  let begun: Buffer[] = [];
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const end = chunk.lastIndexOf(newline) + 1;
      bytes = end === 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes > mostBytes) return done(new Error('a line is too long'));
      if (end === 0) {
        begun.push(chunk);
        return done();
      }
      const whole = Buffer.concat([...begun, chunk.subarray(0, end)]);
      begun = end === chunk.length ? [] : [chunk.subarray(end)];
      return done(null, whole);
    },
  });
};
