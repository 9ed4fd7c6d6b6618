// The pages on paying and on selling stay correct: their examples run exactly as printed, against a real treasury and
// chain, and the paywall's outside the repository, where npm installed it.
import { readFileSync } from 'node:fs';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, instantly, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { codeTable } from '../../server/errors.ts';
import { formatUsdc } from '../../server/money.ts';
import { readOptions } from '../../server/paywall/options.ts';
import type { PaywallOptions } from '../../server/paywall/types.ts';
import { decodeReceipt } from '../../server/lib/solana/receipt.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { kinds } from '../harness/kinds.ts';
import type { Project } from '../harness/programs/packed-package.ts';
import { installPaywall } from '../paywall/install-paywall.ts';
import { base64Json } from './keys.ts';
import { ask, refused, type Answer } from '../paywall/seller.ts';
import { openX402Seller, type X402Seller } from './strict-x402-seller.ts';

const docs = new URL('../../build/docs/', import.meta.url);
const pageOf = (name: string): string => readFileSync(new URL(name, docs), 'utf8');
const [paying, selling] = [pageOf('paid-apis.md'), pageOf('paywall.md')];

/** A code block of a page, by the word after its language. */
const block = (page: string, name: string): string => {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n([^]*?)^\`\`\``, 'm').exec(page)?.[1];
  if (found === undefined) throw new Error(`the page has no block ${name}`);
  return found;
};

const wallet = Keypair.generate().publicKey.toBase58();
let project: Project;
let seller: X402Seller;
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  project = await installPaywall();
  for (const name of ['express', '@solana/web3.js', '@solana/spl-token']) project.link(name);
  seller = await openX402Seller();
  treasury = await openTreasury({ args: [...instantly, '--allow-origin', seller.url] });
  await seller.trade(treasury.host.rpcUrl);
  const { store } = treasury.host.engine.context;
  const weather = store.services.get('sandbox-weather');
  if (weather === undefined) throw new Error('the sandbox sells the weather');
  const reports = { ...weather, id: 'reports', name: 'Reports', payees: [wallet] };
  store.atomically(() => store.services.upsert(reports));
  agent = await deploy(treasury.client, 'reader');
});
afterAll(async () => {
  await treasury.close();
  await seller.close();
  project.remove();
});

/** Runs a seller of the page. Resolves with its URL. */
const start = async (name: string): Promise<string> => {
  const env = { WALLET: wallet, RPC_URL: treasury.host.rpcUrl, PORT: String(await freePort()) };
  return (await project.start(`${name}.ts`, block(selling, name), env)).line;
};

/** Pays the terms of a 402. Returns the receipt. */
const pay = async ({ status, body }: Answer, amount = body['amount']): Promise<string> => {
  expect(status).toBe(402);
  const { currency, invoice, service } = body;
  const paid = await agent.client.post('/v1/agents/reader/pay', { service, amount, currency, invoice });
  expect(paid.status, paid.text).toBe(200);
  return String(paid.body['xPaymentHeader']);
};

describe.each(kinds(['node', 'express', 'store', 'own']))('the seller %s', (name) => {
  it('asks for the price, serves a paid request, and serves a payment once and for its own request', async () => {
    const url = await start(name);
    const quoted = await ask(`${url}/report?week=46`);
    // A price that belongs to an invoice is looked up in the store.
    const later = await ask(`${url}/report?week=46`);
    expect(quoted.body).toMatchObject({ amount: '0.05', currency: 'USDC', recipient: wallet });
    const tooLittle = await pay(quoted, '0.01');
    expect((await ask(`${url}/report?week=46`, tooLittle)).status).toBe(402);
    const receipt = await pay(later);
    expect((await ask(`${url}/report?week=47`, receipt)).status).toBe(402);
    // Every field is true, but this is not what the payer signed.
    const forged = base64Json({ ...decodeReceipt(receipt), service: 'other' });
    expect((await ask(`${url}/report?week=46`, `v1.${forged}`)).status).toBe(402);
    const served = await ask(`${url}/report?week=46`, receipt);
    expect(served).toMatchObject({ status: 200, body: { report: 'All is well.' } });
    expect((await ask(`${url}/report?week=46`, receipt)).status).toBe(402);
    expect((await ask(`${url}/report?week=46`, 'v1.nonsense')).status).toBe(402);
    // One invoice is one grant, even for another payment of it.
    const second = await pay(later);
    expect((await ask(`${url}/report?week=46`, second)).status).toBe(402);
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
const columnOf = (page: string, heading: string): string[] => {
  const [, section = ''] = page.split(heading);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  return [...table.matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word),
  );
};

/** The defaults as the table of options gives them. */
const defaultOf = (option: string): string =>
  new RegExp(`^\\| \`${option}\` +\\| ([^|]*)\\|`, 'm').exec(selling)?.[1] ?? '';

describe('the page on selling', () => {
  it('lists the fields of a 402 and of a receipt', async () => {
    const url = await start('express');
    const quoted = await ask(`${url}/report?week=46`);
    const receipt = decodeReceipt(await pay(quoted));
    const shown = JSON.parse(block(selling, 'quote')) as object;
    expect(Object.keys(shown)).toEqual(Object.keys(quoted.body));
    expect(columnOf(selling, '## What is said').toSorted()).toEqual(
      [...Object.keys(shown).filter((name) => !['error', 'code'].includes(name)), 'retry'].toSorted(),
    );
    const fields = Object.keys(JSON.parse(block(selling, 'receipt')) as object);
    expect(fields.toSorted()).toEqual(Object.keys(receipt ?? {}).toSorted());
    expect(columnOf(selling, '## The receipt')).toEqual(fields);
  });

  it('names every code of a refusal', () => {
    const source = readFileSync(new URL('../../server/paywall/refusal.ts', import.meta.url), 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code = '']) => code);
    expect(codes.length).toBeGreaterThan(20);
    expect(columnOf(selling, '## What it answers').toSorted()).toEqual(codes.toSorted());
  });

  it('names every option, with its default', () => {
    const types = readFileSync(new URL('../../server/paywall/types.ts', import.meta.url), 'utf8');
    const [, options = ''] = /interface PaywallOptions \{\n([^]*?)^\}/m.exec(types) ?? [];
    const names = [...options.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(12);
    expect(columnOf(selling, '### All options').toSorted()).toEqual(names.toSorted());
    const defaults = [...options.matchAll(/Default `?([\w.]*\w)`?[^/]*\/\s+(\w+)\?/g)];
    expect(defaults.length).toBeGreaterThan(6);
    for (const [, value = '', name = ''] of defaults) expect(defaultOf(name), name).toContain(value);
  });

  it('names the defaults that are in force', () => {
    const store = {
      saveInvoice() {},
      findInvoice: () => undefined,
      isUsed: () => false,
      grant: () => 'granted',
    };
    const required = { price: '0.05', recipient: wallet, rpcUrl: 'http://127.0.0.1:1', network: 'mainnet' };
    const { terms, ...read } = readOptions({ ...required, store } as PaywallOptions);
    const inForce = {
      bind: `\`${terms.bind}\``,
      invoiceSeconds: `\`${read.invoiceSeconds}\``,
      maxAgeSeconds: `\`${terms.maxAgeMs / 1_000}\``,
      confirmedUpTo: `\`"${formatUsdc(terms.confirmedUpTo)}"\``,
      visibleWithinMs: `\`${terms.visibleWithinMs}\``,
      rpcTimeoutMs: `\`${read.rpcTimeoutMs}\``,
      maxBodyBytes: `${read.maxBodyBytes / 1_048_576} MiB`,
    };
    const told = Object.keys(inForce).map((name) => [name, defaultOf(name).trim()]);
    expect(Object.fromEntries(told)).toEqual(inForce);
  });
});

describe('the page on paying', () => {
  it('has an example for an agent’s own HTTP that works as printed', async () => {
    const env = {
      TREASURY_URL: treasury.host.url,
      TREASURY_OWNER: treasury.owner,
      TREASURY_AGENT_ID: 'reader',
      TREASURY_API_KEY: agent.key,
    };
    const source = block(paying, 'agent').replace('process.argv.slice(2)', `['${seller.url}/paid?x=1']`);
    const { line } = await project.start('agent.js', source, env);
    const { paymentId, ...bought } = JSON.parse(line) as { paymentId: string; status: number; body: string };
    expect(bought).toEqual({ status: 200, body: '{"sold":"/paid?x=1"}' });
    expect(seller.settled).toMatchObject([{ amount: '30000', resource: `${seller.url}/paid?x=1` }]);
    const known = await agent.client.get(`/v1/agents/reader/payments/${paymentId}`);
    expect(known.body).toMatchObject({ amount: '0.03', paymentId });
  });

  it('names the right codes', () => {
    const said = [...paying.matchAll(/\b(\d{3}) `(\w+)`/g)].map(([, status, code]) => [code, Number(status)]);
    expect(said.length).toBeGreaterThanOrEqual(3);
    for (const [code, status] of said)
      expect(codeTable[code as keyof typeof codeTable].status, String(code)).toBe(status);
  });
});
