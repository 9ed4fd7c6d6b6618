// Sign-in on the real store and the real sealed secrets, in a folder of its own, with a clock that the test moves.
// Calls pass through the contract in both directions, as they do over HTTP.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from '../../server/contract/field-errors.ts';
import { exchanges, type Input, type Reply } from '../../server/contract/schemas.ts';
import type { Network, Store } from '../../server/engine/ports.ts';
import { AppError } from '../../server/errors.ts';
import { createLog } from '../../server/log.ts';
import type { AskingLink } from '../../server/signin/email.ts';
import { createSignIn, type SignIn } from '../../server/signin/sign-in.ts';
import { createStore } from '../../server/store/store.ts';
import { createSecrets } from '../../server/vault/secrets.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const url = 'http://127.0.0.1:4402';

type Name = keyof SignIn['operations'];
type Sent<N extends Name> = Input<N>['body'];
export type TestLink = AskingLink & { token: string };

export interface SignInTreasury {
  signIn: SignIn;
  store: Store;
  /** Unix milliseconds. */
  clock: { now: number };
  vault: { locked: boolean };
  secrets: { get(name: string): Buffer | undefined; set(name: string, bytes: Uint8Array): void };
  /** The writes of secrets and settings in their order; a test may break them off. */
  writes: string[];
  breakOffAfter: { writes: number };
  newLink(machine?: string): TestLink;
  /** Ends the link, as a decision or its expiry does. */
  end(link: TestLink): void;
  call<N extends Name>(name: N, body?: Sent<N>, params?: Record<string, string>): Promise<Reply<N>>;
  /** Calls a route of a link session. */
  at<N extends Name>(link: TestLink, name: N, body?: Sent<N>): Promise<Reply<N>>;
  addIdentity(kind: 'wallet' | 'email' | 'provider', subject: string): Promise<string>;
  /** Registers secrets that must never be logged. */
  hide(...secrets: string[]): void;
  logged(): string;
  close(): void;
}

export const openSignIn = (network: Network = 'mainnet'): SignInTreasury => {
  const folder = temporaryFolder();
  const clock = { now: Date.now() };
  const store = createStore({
    file: join(folder, 'treasury.db'),
    now: () => clock.now,
    onHalt: (error) => {
      throw error;
    },
  });
  const key = randomBytes(32);
  const vault = { locked: false };
  const sealed = createSecrets(folder, () => {
    if (vault.locked) throw new AppError('locked', 'The vault is locked.');
    return key;
  });
  const logFile = join(folder, 'log');
  const hidden: string[] = [];
  const links = new Map<string, TestLink>();
  const writes: string[] = [];
  const breakOffAfter = { writes: Infinity };
  const write = (what: string): void => {
    if (writes.length >= breakOffAfter.writes) throw new Error('the power failed');
    writes.push(what);
  };
  const secrets = {
    get: sealed.get,
    set(name: string, bytes: Uint8Array) {
      write(`${name}=${Buffer.from(bytes).toString()}`);
      sealed.set(name, bytes);
    },
  };
  const signIn = createSignIn({
    ownOrigins: () => [url],
    network,
    store: {
      ...store,
      signIn: {
        get: store.signIn.get,
        set(settings) {
          write('settings');
          store.signIn.set(settings);
        },
      },
    },
    secrets,
    linkOf(token) {
      const link = links.get(token);
      if (link === undefined || link.expiresAt <= clock.now)
        throw new AppError('not_found', 'There is no such link session.');
      return link;
    },
    hasPassphrase: () => Promise.resolve(true),
    newId: (prefix) => `${prefix}_${randomBytes(10).toString('hex')}`,
    log: createLog('debug', logFile),
    now: () => clock.now,
  });

  const call: SignInTreasury['call'] = async (name, body, params = {}) => {
    const operation = signIn.operations[name] as (given: unknown) => Promise<{ body: unknown }>;
    const sent = parse(exchanges[name].body, body ?? {});
    const caller = { role: 'nobody', bearer: null, known: null } as const;
    const answer = await operation({
      caller,
      door: { name: 'local', url },
      params,
      query: {},
      body: sent,
      key: null,
      waitMs: null,
    });
    return parse(exchanges[name].reply, answer.body) as never;
  };

  return {
    signIn,
    store,
    clock,
    vault,
    secrets,
    writes,
    breakOffAfter,
    newLink(machine = 'laptop, zsh') {
      const token = `lnk_${randomBytes(32).toString('base64url')}`;
      const id = `link_${randomBytes(10).toString('hex')}`;
      const expiresAt = clock.now + 10 * minute;
      const link = { id, machine, code: '7KM-Q2X', expiresAt, token, isKnown: false };
      links.set(token, link);
      hidden.push(token);
      return link;
    },
    end: (link) => void links.delete(link.token),
    call,
    async at(link, name, body) {
      const reply = await call(name, body, { token: link.token });
      if ('token' in reply) hidden.push(String(reply.token));
      return reply;
    },
    async addIdentity(kind, subject) {
      return (await call('addIdentity', { kind, subject })).identityId;
    },
    hide: (...more) => void hidden.push(...more),
    logged: () => readFileSync(logFile, 'utf8'),
    close() {
      signIn.close();
      store.close();
      const lines = readFileSync(logFile, 'utf8');
      for (const secret of hidden)
        expect(
          new RegExp(`(?<![\\w-])${RegExp.escape(secret)}(?![\\w-])`).test(lines),
          'a secret was logged',
        ).toBe(false);
      removeFolder(folder);
    },
  };
};

/** Returns the refusal of a call that must not succeed. */
export const refusalOf = async (call: Promise<unknown>): Promise<AppError> => {
  const outcome = await call.then(
    (value) => new Error(`not refused: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof AppError) return outcome;
  throw outcome;
};
