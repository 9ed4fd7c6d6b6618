// `treasury catalog`: sources are added, listed, read again and removed from a terminal.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instantly, openTreasury, removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import type { Treasury } from '../harness/treasury.ts';
import { startFacilitator, v2Item, type Facilitator } from '../x402/facilitator.ts';
import { letIn, run, type Ended, type Setting } from './terminal.ts';

let treasury: Treasury;
let facilitator: Facilitator;
let home: string;
beforeAll(async () => {
  facilitator = await startFacilitator([v2Item('one'), v2Item('two')]);
  treasury = await openTreasury({ args: [...instantly, '--allow-origin', facilitator.origin] });
  home = temporaryFolder();
  await letIn(treasury);
});
afterAll(async () => {
  await treasury.close();
  await facilitator.close();
  removeFolder(home);
});

const catalog = (args: readonly string[], setting: Partial<Setting> = {}): Promise<Ended> =>
  run(['--data', treasury.dataDir, 'catalog', ...args], { home, ...setting });

it('adds a source, shows how far it is, reads it again and removes it after asking', async () => {
  expect((await catalog(['sources'])).stdout).toBe('No source is imported.\n');
  const added = await catalog(['add', facilitator.url, '--name', 'Ours']);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toMatch(/^The list of Ours \(src_\w+\) is being read\./);
  let listed: Ended | undefined;
  await until('the import', async () => {
    listed = await catalog(['sources', '--json']);
    return listed.json.sources[0].lastRunAt !== null;
  });
  const [source] = listed?.json.sources ?? [];
  expect(source).toMatchObject({ name: 'Ours', url: facilitator.url, added: 2, done: 2, total: 2 });
  const { stdout } = await catalog(['sources']);
  expect(stdout).toMatch(/^SOURCE +NAME +STATE +READ +ADDED +CHANGED +GONE +NEXT +URL\n/);
  expect(stdout).toMatch(/ Ours +idle +2\/2 +2 +0 +0 /);

  facilitator.list([v2Item('one')]);
  expect(await catalog(['refresh', source.sourceId])).toMatchObject({ code: 0, stderr: '' });
  await until('another pass', async () => / idle +1\/1 +0 +0 +1 /.test((await catalog(['sources'])).stdout));
  facilitator.answer((_asked, response) => {
    response.writeHead(500).end();
    return true;
  });
  await catalog(['refresh', source.sourceId]);
  await until('a failure', async () => (await catalog(['sources'])).stdout.includes('answered 500'));

  expect(await catalog(['remove', source.sourceId], { typed: ['n'] })).toMatchObject({ stdout: '' });
  expect(await catalog(['remove', source.sourceId])).toMatchObject({ stdout: '' });
  expect((await catalog(['sources', '--json'])).json.sources).toHaveLength(1);
  expect(await catalog(['remove', source.sourceId], { typed: ['y'] })).toMatchObject({ code: 0 });
  expect((await catalog(['sources', '--json'])).json.sources).toEqual([]);
  const missing = await catalog(['refresh', source.sourceId]);
  expect([missing.code === 0, missing.stderr]).toEqual([false, expect.stringContaining('no source')]);
  const wrong = await catalog(['add', 'http://facilitator.example']);
  expect([wrong.code === 0, wrong.stderr]).toEqual([false, expect.stringContaining('url: must be https')]);
});
