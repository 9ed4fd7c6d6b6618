// This host: whether it is there, its interface, its diagnostics, its copies.
import { anyone, owner, type Route } from '../route.ts';

export const hostRoutes = {
  health: anyone('GET /v1/health', 'Is the treasury there?'),
  openapi: anyone('GET /v1/openapi.json', 'This interface as OpenAPI 3.1'),
  backup: owner('POST /v1/backup', 'Copy the records to a file of the data folder, while payments go on'),
  about: owner('GET /v1/about', 'Version, network, data folder and what protects the keys'),
  diagnostics: owner('GET /v1/diagnostics', 'Diagnostics for support, without secrets'),
  events: owner('GET /v1/events', 'Every change, as server-sent events'),
  faucet: owner('POST /v1/sandbox/faucet', 'Sandbox only: deposit test USDC from outside'),
} as const satisfies Record<string, Route>;
