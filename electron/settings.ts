// The desktop's settings, kept in DATA/settings.json. They never contain a secret.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { defaultPort } from '../server/config.ts';
import { renameOver } from '../server/lib/files/rename-over.ts';
import type { Log } from '../server/log.ts';

const chain = z.strictObject({
  rpcUrl: z.string().max(2_048).nullable().default(null),
  secondRpcUrl: z.string().max(2_048).nullable().default(null),
  phraseConfirmed: z.boolean().default(false),
});
const whole = z.number().int().min(-100_000).max(100_000);

const settings = z.strictObject({
  network: z.enum(['sandbox', 'devnet', 'mainnet']).nullable().default(null),
  chains: z
    .strictObject({
      sandbox: chain.prefault({}),
      devnet: chain.prefault({}),
      mainnet: chain.prefault({}),
    })
    .prefault({}),
  port: z.number().int().min(0).max(65_535).default(defaultPort),
  shortcut: z.string().max(64).default('CommandOrControl+Alt+Shift+X'),
  notifications: z.boolean().default(true),
  bounds: z.strictObject({ x: whole, y: whole, width: whole, height: whole }).nullable().default(null),
});

type Settings = z.output<typeof settings>;
export type Network = NonNullable<Settings['network']>;

export interface SettingsFile {
  get(): Settings;
  /** Durable on return. */
  change(change: Partial<Settings>): void;
}

/** Unreadable settings are set aside as `settings.json.damaged`, and the defaults are used. */
export const openSettings = (file: string, log: Pick<Log, 'warn'>): SettingsFile => {
  let current = read(file, log);
  return {
    get: () => current,
    change(change) {
      current = settings.parse({ ...current, ...change });
      write(file, current);
    },
  };
};

const read = (file: string, log: Pick<Log, 'warn'>): Settings => {
  if (!existsSync(file)) return settings.parse({});
  try {
    return settings.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const copy = `${file}.damaged`;
    copyFileSync(file, copy);
    log.warn({ err: error, copy }, 'the settings cannot be read: the defaults hold, and a copy was kept');
    return settings.parse({});
  }
};

/** Atomic: a crash leaves the old file whole. */
const write = (file: string, value: Settings): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.new`;
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  renameOver(next, file);
};
