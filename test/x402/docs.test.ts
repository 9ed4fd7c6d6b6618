// The page for authors of paid APIs does not rot: its examples run as they stand there, against a real treasury and chain.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, openTreasury, removeFolder, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { decodeReceipt } from '../../server/x402/receipt.ts';
import { base64Json } from './keys.ts';
import { ask, refused, type Answer } from './seller.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'build/docs/paid-apis.md'), 'utf8');

/** A block of the page by the word behind its language. */
const block = (name: string): string => {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n([^]*?)^\`\`\``, 'm').exec(page)?.[1];
  if (found === undefined) throw new Error(`the page has no block ${name}`);
  return found;
};

const wallet = Keypair.generate().publicKey.toBase58();
// Below the repository, where the examples find the packages that they import.
mkdirSync(join(root, 'build/out'), { recursive: true });
const folder = mkdtempSync(join(root, 'build/out/docs-'));
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openTreasury();
  const { store } = treasury.host.engine.context;
  const weather = store.services.get('sandbox-weather');
  if (weather === undefined) throw new Error('the sandbox sells the weather');
  const reports = { ...weather, id: 'reports', name: 'Reports', payees: [wallet] };
  store.atomically(() => store.services.upsert(reports));
  agent = await deploy(treasury.client, 'reader');
});
afterAll(async () => {
  await treasury.close();
  removeFolder(folder);
});

const started: ChildProcess[] = [];
afterAll(() => started.forEach((child) => child.kill('SIGKILL')));

/** Runs an example; resolves with where it listens. */
const start = async (name: string): Promise<string> => {
  const script = join(folder, `${name}.mjs`);
  writeFileSync(
    script,
    block(name).replaceAll("from './", `from '${new URL('../..', import.meta.url).href}`),
  );
  const example = spawn(
    process.execPath,
    ['--import', new URL('../../build/preload.mjs', import.meta.url).href, script],
    {
      cwd: folder,
      env: { ...process.env, WALLET: wallet, RPC_URL: treasury.host.rpcUrl, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  started.push(example);
  const ready = once(createInterface(example.stdout), 'line');
  const [line] = (await Promise.race([ready, once(example, 'exit')])) as unknown[];
  if (typeof line !== 'string') throw new Error(`the example ${name} ended`);
  return line;
};

/** Pays what a 402 asks for; the receipt. */
const pay = async ({ status, body }: Answer, amount = body['amount']): Promise<string> => {
  expect(status).toBe(402);
  const { currency, invoice, service } = body;
  const paid = await agent.client.post('/v1/agents/reader/pay', { service, amount, currency, invoice });
  expect(paid.status, paid.text).toBe(200);
  return String(paid.body['xPaymentHeader']);
};

describe.each(['express', 'node', 'own'])('the example %s', (name) => {
  it('asks for the price, serves who has paid it, and serves a payment once and for its own request', async () => {
    const url = await start(name);
    const quoted = await ask(`${url}/report?week=46`);
    expect(quoted.body).toMatchObject({ amount: '0.05', currency: 'USDC', recipient: wallet });
    const tooLittle = await pay(quoted, '0.01');
    expect((await ask(`${url}/report?week=46`, tooLittle)).status).toBe(402);
    const receipt = await pay(quoted);
    expect((await ask(`${url}/report?week=47`, receipt)).status).toBe(402);
    // All of it is true, and the payer has not signed it so.
    const forged = base64Json({ ...decodeReceipt(receipt), service: 'other' });
    expect((await ask(`${url}/report?week=46`, `v1.${forged}`)).status).toBe(402);
    const served = await ask(`${url}/report?week=46`, receipt);
    expect(served).toMatchObject({ status: 200, body: { report: 'All is well.' } });
    expect((await ask(`${url}/report?week=46`, receipt)).status).toBe(402);
    expect((await ask(`${url}/report?week=46`, 'v1.nonsense')).status).toBe(402);
  });
});

it('serves a paid body to the parser behind the paywall', async () => {
  const url = await start('express');
  const order = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"subject":"rain"}',
  };
  const receipt = await pay(await ask(`${url}/report`, null, order));
  const other = await ask(`${url}/report`, receipt, { ...order, body: '{"subject":"snow"}' });
  expect(refused(other)).toEqual({ status: 402, code: 'wrong_request' });
  expect((await ask(`${url}/report`, receipt, order)).body).toEqual({ report: 'About rain: all is well.' });
});

/** The words of a table's first column, in the section under a heading. */
const columnOf = (heading: string): string[] => {
  const [, section = ''] = page.split(heading);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  return [...table.matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word),
  );
};

describe('what the page says', () => {
  it('of a 402 and of a receipt is what they carry, field by field', async () => {
    const url = await start('express');
    const quoted = await ask(`${url}/report?week=46`);
    const receipt = decodeReceipt(await pay(quoted));
    const shown = JSON.parse(block('quote')) as object;
    expect(Object.keys(shown)).toEqual(Object.keys(quoted.body));
    expect(columnOf('## What is said').toSorted()).toEqual(
      [...Object.keys(shown).filter((name) => !['error', 'code'].includes(name)), 'retry'].toSorted(),
    );
    const fields = Object.keys(JSON.parse(block('receipt')) as object);
    expect(fields.toSorted()).toEqual(Object.keys(receipt ?? {}).toSorted());
    expect(columnOf('## The receipt')).toEqual(fields);
  });

  it('of refusals names every code that there is', () => {
    const source = readFileSync(join(root, 'server/x402/refusal.ts'), 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code = '']) => code);
    expect(codes.length).toBeGreaterThan(20);
    expect(columnOf('## What it answers').toSorted()).toEqual(codes.toSorted());
  });
});
