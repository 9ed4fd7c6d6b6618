// The sandbox's demo seller, and its place on this host.
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { doorOf } from '../http/door.ts';
import { createGrantStore } from '../paywall/store/grant-store.ts';
import { createWeather } from '../sandbox/weather.ts';
import type { Built } from './build.ts';
import type { Connected } from './connect.ts';
import type { Closers, HostOptions } from './options.ts';
import type { Opened } from './open.ts';
import { addWeather, openTestAccount } from './operations.ts';

type Stages = Opened & Connected & Built;

/** The sandbox's seller: a paid weather API of this host. */
export const demoSeller = async (
  { config, log }: HostOptions,
  { folder, store, faucet, http, rpcUrl }: Stages,
  closers: Closers,
): Promise<{ path: string; router: RequestHandler }> => {
  const grants = createGrantStore(join(folder, 'weather.db'));
  closers.push(['the demo seller', grants.close]);
  const recipient = await openTestAccount(store, faucet);
  addWeather(store, recipient, http.url);
  const router = createWeather({ recipient, rpcUrl, network: config.network, store: grants, log });
  return { path: '/sandbox', router: atLocalDoor(router) };
};

/** It sells to agents of this treasury, which asks it from this machine. */
const atLocalDoor =
  (seller: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (doorOf(response).name === 'local') void seller(request, response, next);
    else next();
  };
