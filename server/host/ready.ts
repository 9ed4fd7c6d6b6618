// The last stage of a start: clients can find this host, and its timers run.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createOwnerApi } from '../engine/api/owner.ts';
import { exportOf } from './bridge.ts';
import type { Built } from './build.ts';
import type { Connected } from './connect.ts';
import { isPhraseKept } from './kept-phrase.ts';
import type { Closers, Host, HostOptions } from './options.ts';
import type { Opened } from './open.ts';
import type { Served } from './serve.ts';

export const ready = (
  { config, log, dashboard }: HostOptions,
  stages: Opened & Connected & Built & Served,
  closers: Closers,
): Omit<Host, 'close'> => {
  const { network } = config;
  const { engine, vault, owner, rpcUrl, http, tokens, known, operations, checkPath, onEvent } = stages;
  const cookieFile = config.ownerCookie ? join(config.dataDir, 'owner.cookie') : null;
  if (cookieFile !== null) tokens.writeCookie(cookieFile);
  const endpointFile = join(config.dataDir, 'runtime', 'endpoint.json');
  mkdirSync(dirname(endpointFile), { recursive: true, mode: 0o700 });
  const endpoint = { url: http.url, pid: process.pid, owner, network, known: known.terminal };
  writeFileSync(endpointFile, JSON.stringify(endpoint), { mode: 0o600 });
  closers.push(['the endpoint file', () => rmSync(endpointFile, { force: true })]);
  stages.backups.start();
  stages.bazaar.start();
  stages.notices.start();
  log.info({ url: http.url, network, owner }, 'the treasury is ready');
  return {
    url: http.url,
    owner,
    network,
    rpcUrl,
    cookieFile,
    engine,
    vault,
    saveBooks: stages.saveBooks,
    api: createOwnerApi({ operations, checkPath, url: http.url, onEvent }),
    isPhraseKept: () => isPhraseKept(stages.store, network),
    exportPhrase: exportOf(config),
    restored: stages.restored,
    publicUrl: stages.publicAddress.url,
    newLoginUrl: () => (dashboard === undefined ? null : `${http.url}/#login=${tokens.issueLogin()}`),
  };
};
