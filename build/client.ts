// Packs the client for programs that buy: a `fetch` that pays, and a typed client of /v1.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenapi } from '../server/http/openapi.ts';
import { startPeer } from '../test/harness/programs/peers.ts';
import { packedFolder, packNpm, packWhenStarted } from './npm-package.ts';

/** The types of /v1 as this version answers it. */
const writeTypes = async (types: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-types-'));
  const document = join(folder, 'openapi.json');
  try {
    writeFileSync(document, JSON.stringify(createOpenapi()('http://127.0.0.1:4402')));
    await (await startPeer('openapi', 'types', { document, types })).end();
  } finally {
    rmSync(folder, { recursive: true });
  }
};

export const packClient = (folder = packedFolder('client')): Promise<string> =>
  packNpm(
    {
      name: 'agent-treasury-client',
      description:
        'A fetch that pays HTTP 402 through the Agent Treasury of this machine, and a typed client of its API.',
      node: 20,
      entry: 'server/client/package/module.ts',
      page: 'build/docs/clients.md',
      types: { v1: writeTypes },
      dependencies: [],
    },
    folder,
  );

await packWhenStarted(import.meta.url, packClient);
