// When each agent, and each API key, was last seen. Shown to the owner, and used for nothing else: it is kept in a file
// beside the records, written at most once a minute, and a file that is lost or cannot be written is no failure.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { LastSeen } from '../engine/ports.ts';
import { writePrivateFile } from '../lib/files/private-file.ts';

/** A use within this time after another one is not news, and is not written down by itself. */
const quietMs = 60_000;

const kept = z.record(z.string(), z.number());

/** @param file null: nothing is kept */
export const createLastSeen = (file: string | null): LastSeen & { close(): void } => {
  const times = new Map<string, number>(file === null ? [] : Object.entries(read(file)));
  let writtenAt = 0;
  const write = (at: number): void => {
    writtenAt = at;
    if (file === null) return;
    try {
      writePrivateFile(file, JSON.stringify(Object.fromEntries(times)));
    } catch {
      // Another use tries again.
    }
  };
  return {
    of: (id) => times.get(id) ?? null,
    note(ids, at) {
      const isNews = ids.some((id) => at - (times.get(id) ?? -Infinity) >= quietMs);
      for (const id of ids) times.set(id, at);
      if (at - writtenAt >= quietMs) write(at);
      return isNews;
    },
    close() {
      if (times.size > 0) write(writtenAt);
    },
  };
};

const read = (file: string): z.output<typeof kept> => {
  try {
    return kept.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
};
