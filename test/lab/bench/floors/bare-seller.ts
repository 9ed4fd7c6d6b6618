// The other half of the bare prototype: a seller of one item, in a process of its own, with nothing but node:http. It
// asks for 0.01 USDC with an invoice, and accepts a receipt once, when one getTransaction shows that the invoice was
// paid. Arguments: the chain's RPC and the payee. It keeps nothing on disk.
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createJsonRpc } from './json-rpc.ts';

interface Balance {
  owner: string;
  uiTokenAmount: { amount: string };
}
interface Landed {
  meta: { err: unknown; preTokenBalances: Balance[]; postTokenBalances: Balance[]; logMessages: string[] };
}

const [rpcUrl = '', recipient = ''] = process.argv.slice(2);
const price = 10_000;
const rpc = createJsonRpc(rpcUrl);
const invoices = new Set<string>();

const isPaid = async (header: string): Promise<boolean> => {
  const receipt = JSON.parse(Buffer.from(header.slice('v1.'.length), 'base64').toString('utf8')) as {
    txSignature: string;
    invoice: string;
  };
  if (!invoices.delete(receipt.invoice)) return false;
  const settings = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const landed = (await rpc.call('getTransaction', [receipt.txSignature, settings])) as Landed | null;
  if (landed === null || landed.meta.err !== null) return false;
  const gained = held(landed.meta.postTokenBalances) - held(landed.meta.preTokenBalances);
  return gained === price && landed.meta.logMessages.some((line) => line.includes(receipt.invoice));
};

const held = (balances: Balance[]): number =>
  Number(balances.find(({ owner }) => owner === recipient)?.uiTokenAmount.amount ?? 0);

const answer = (response: ServerResponse, status: number, body: object): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
};

const ask = (response: ServerResponse): void => {
  const invoice = randomBytes(16).toString('base64url');
  invoices.add(invoice);
  answer(response, 402, { amount: '0.01', currency: 'USDC', recipient, invoice });
};

const server = createServer({ noDelay: true }, (request, response) => {
  const header = request.headers['x-payment'];
  if (typeof header !== 'string') return ask(response);
  isPaid(header).then(
    (paid) => (paid ? answer(response, 200, { city: 'Lisbon', conditions: 'sunny' }) : ask(response)),
    (error: unknown) => answer(response, 500, { error: String(error) }),
  );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
