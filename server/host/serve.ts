// The fourth stage of a start: the owner's and the agents' operations, behind one router on the port.
import { join } from 'node:path';
import { createBooks, type Books } from '../books/books.ts';
import { createBackups, type Backups } from '../backup/backup.ts';
import { createBazaar, type Bazaar } from '../catalog/bazaar.ts';
import { catalogOperations } from '../catalog/catalog.ts';
import { phoneOperations } from '../engine/api/phones/phones.ts';
import { createPathCheck, linkOf, type CheckPath } from '../engine/api/path.ts';
import { eventView } from '../engine/calls/event-view.ts';
import { olderUntil, reconciliationMark } from '../engine/domain/reconciliation-mark.ts';
import type { Credentials } from '../http/auth.ts';
import { createDashboard } from '../http/dashboard.ts';
import type { Subscribe } from '../http/events.ts';
import { createKnownCallers, type KnownCallers } from '../http/known-callers.ts';
import { createLogins } from '../http/logins.ts';
import { createOwnerTokens, type OwnerTokens } from '../http/owner-token.ts';
import { createPageTickets, type PageTickets } from '../http/page-tickets.ts';
import { createPublicLimit } from '../http/public-limit.ts';
import { createRouter, type Operations } from '../http/router.ts';
import type { HttpServer } from '../http/server.ts';
import { createTurns } from '../lib/turns.ts';
import type { Notices } from '../notices/notices.ts';
import { createSignIn, type SignIn } from '../signin/sign-in.ts';
import { createPassphraseLimit, tryPassphrase } from '../lib/try-limit.ts';
import { needsPassphrase, type Vault } from '../vault/vault.ts';
import { aboutOperations } from './about.ts';
import { saveBooksWith, type SaveBooks } from './book-stream.ts';
import { terminalOf } from './bridge.ts';
import type { Built } from './build.ts';
import { publicAddressCheck } from './check-public-address.ts';
import type { Connected } from './connect.ts';
import type { Closers, HostOptions } from './options.ts';
import type { Opened } from './open.ts';
import { agentCredentials, agentWays } from './proxy.ts';
import { demoSeller } from './demo-seller.ts';
import { noticesOf } from './notices.ts';
import { hostOperations } from './operations.ts';
import { streamsOf } from './streams.ts';

export interface Served {
  tokens: OwnerTokens;
  known: KnownCallers;
  operations: Operations;
  checkPath: CheckPath;
  onEvent: Subscribe;
  backups: Backups;
  bazaar: Bazaar;
  notices: Notices;
  saveBooks: SaveBooks;
}

/** Requests of all agents together that begin in one turn; the owner's are not counted. */
const requestsPerTurn = 8;

type Stages = Opened & Connected & Built;

export const serve = async (options: HostOptions, stages: Stages, closers: Closers): Promise<Served> => {
  const { config } = options;
  const { engine, http, owner, pieces, pictures, publicAddress } = stages;
  const tokens = ownerTokens(config, stages);
  closers.push(
    ['the sessions', tokens.close],
    ['the public address', publicAddress.onClosed(() => tokens.revokeAt('public', 'not_here'))],
  );
  const tickets = createPageTickets();
  const books = createBooks(engine.context);
  closers.push(['the books', books.close]);
  const known = createKnownCallers(join(config.dataDir, 'runtime', 'known-caller'));
  const { operations, checkPath, signIn, backups, bazaar, notices } = operationsOf(
    options,
    stages,
    { tokens, known, tickets, books },
    closers,
  );
  const onEvent: Subscribe = (tell) => engine.onEvent((event) => tell(eventView(event)));
  const agents = agentCredentials(stages);
  const credentials: Credentials = {
    ...agents,
    owner,
    isOwner: tokens.isOwner,
    placeOf: tokens.placeOf,
    onOwnerEnd: tokens.onEnd,
    knownCaller: known.find,
    identityOf: signIn.identityOf,
    knows: (fingerprint, door) =>
      agents.knowsKey(fingerprint) || tokens.sessions.byFingerprint(fingerprint, door)?.ended === null,
  };
  const admission = createTurns(requestsPerTurn);
  const isOwners = tokens.isLive;
  const ways = agentWays({ ...stages, log: options.log, isOwners }, credentials, admission);
  const router = createRouter({
    credentials,
    operations: { ...operations, fetch: ways.fetch },
    checkPath,
    turns: pieces,
    admission,
    streams: streamsOf({
      engine,
      onEvent,
      tokens,
      tickets,
      pictures,
      exports: books.exports,
      doors: publicAddress,
    }),
  });
  const parts: Parameters<HttpServer['mount']>[0][number][] = [
    { path: '/', router: ways.proxy },
    { path: '/', router: ways.models },
    { path: '/', router },
  ];
  if (options.dashboard !== undefined)
    parts.unshift({
      path: '/',
      router: createDashboard({
        folder: options.dashboard,
        url: http.url,
        ticketFor: tickets.issue,
        admitsOwner: publicAddress.admitsOwner,
      }),
    });
  if (config.network === 'sandbox') parts.unshift(await demoSeller(options, stages, closers));
  http.mount([{ path: '/', router: createPublicLimit(credentials, stages.clock.monotonic) }, ...parts]);
  const saveBooks = saveBooksWith(engine.context, books.exports);
  return { tokens, known, operations, checkPath, onEvent, backups, bazaar, notices, saveBooks };
};

/** Sessions outlive a restart on the sandbox alone, and only one with the same records. */
const ownerTokens = (
  { network }: HostOptions['config'],
  { folder, store }: Pick<Opened, 'folder' | 'store'>,
): OwnerTokens => {
  const kept = { file: join(folder, 'sessions.json'), records: String(olderUntil(store)) };
  const tokens = createOwnerTokens({ kept: network === 'sandbox' ? kept : null });
  if (reconciliationMark(store)?.kind === 'older') tokens.revokeIssued('older_copy');
  return tokens;
};

interface Callers {
  tickets: PageTickets;
  tokens: OwnerTokens;
  known: KnownCallers;
  books: Books;
}

/** All operations, each room's with its own look-ups of what a path names. */
const operationsOf = (
  options: HostOptions,
  stages: Stages,
  { tokens, known, tickets, books }: Callers,
  closers: Closers,
): Pick<Served, 'operations' | 'checkPath' | 'backups' | 'bazaar' | 'notices'> & { signIn: SignIn } => {
  const { config, log, terminal: program } = options;
  const { network } = config;
  const { engine, vault, owner, store, publicAddress, ownOrigins, outbound, http, probes } = stages;
  const { context } = engine;
  const { publish } = context;
  const { admitsOwner } = publicAddress;
  const { checkPassphrase } = vault;
  const logins = createLogins({ owner, tokens, tickets, known, admitsOwner, checkPassphrase, publish });
  const signIn = createSignIn({
    ownOrigins,
    network,
    store,
    secrets: { get: vault.getSecret, set: vault.setSecret },
    linkOf(token) {
      const link = linkOf(context, token);
      return { ...link, isKnown: context.knownLinks.has(link.id) };
    },
    hasPassphrase: async (door) => admitsOwner(door) && needsPassphrase(await vault.protection()),
    newId: context.newId,
    now: context.time.now,
    log,
  });
  const notices = noticesOf(options, stages, signIn);
  // The mail under way ends first.
  closers.push(['the notices', notices.close], ['the sign-in', signIn.close]);
  const rules = { network, allowOrigins: config.allowOrigins, ownOrigins };
  const catalog = catalogOperations({ ...stages, context, rules });
  const bazaar = createBazaar({ ...stages, context, outbound, rules });
  closers.push(['the sources of services', bazaar.close]);
  const { database, clock } = stages;
  const backups = createBackups({ store, network, dataDir: config.dataDir, database, clock, log });
  closers.push(['the backups', backups.close]);
  const operations = {
    ...engine.operations,
    ...logins.operations,
    ...signIn.operations,
    ...catalog.operations,
    ...bazaar.operations,
    ...backups.operations,
    ...notices.operations,
    ...publicAddress.operations,
    checkPublicAddress: publicAddressCheck({ publicUrl: publicAddress.url, localUrl: http.url, tickets }),
    ...books.operations,
    ...phoneOperations({ context, proveOwner: ownerProof(vault) }),
    ...aboutOperations({
      config,
      terminal: terminalOf({ config, ...(program === undefined ? {} : { terminal: program }) }),
      publicUrl: publicAddress.url,
      connected: stages,
      probes,
      context,
      vault,
      log,
    }),
    ...hostOperations({ ...stages, tokens, pendingLogins: logins.pending, backups, books }),
  };
  const checkEngine = createPathCheck(context);
  const checkPath: CheckPath = (caller, params, route) => {
    checkEngine(caller, params, route);
    for (const room of [logins, signIn, catalog, bazaar, books]) room.checkPath(params, route);
  };
  return { operations, checkPath, signIn, backups, bazaar, notices };
};

/** Checks the passphrase where the vault has one. */
const ownerProof = (vault: Vault) => {
  const tried = createPassphraseLimit(Date.now);
  return async (passphrase: string | undefined): Promise<void> => {
    if (needsPassphrase(await vault.protection()))
      await tryPassphrase(tried, 'owner', () => vault.checkPassphrase(passphrase ?? ''));
  };
};
