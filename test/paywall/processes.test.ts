// Four processes of one seller on one store: a payment is granted by one of them, and another secret costs no buyer anything.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { replaceSecret } from '../../server/paywall/store/invoice-records.ts';
import { tries } from '../harness/tries.ts';
import { signedHeader } from '../x402/keys.ts';
import { openBazaar, type Bazaar } from './bazaar.ts';
import { challengeIn, encoded, foreign, header, pay, type Credential } from './credentials.ts';
import { ask, quote } from './seller.ts';

const program = fileURLToPath(new URL('../lab/bench/parts/receipt-seller.ts', import.meta.url));
const shown = tries(100, 1_000);

let bazaar: Bazaar;
const children: ChildProcess[] = [];
let urls: string[] = [];
beforeAll(async () => {
  bazaar = await openBazaar();
  const { market, facilitator } = bazaar;
  const [rpcUrl, payee] = [market.rpcUrl, market.seller.publicKey.toBase58()];
  const args = [program, rpcUrl, payee, market.dataDir, String(facilitator.says['url']), 'plain'];
  urls = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      return line;
    }),
  );
}, 600_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGTERM');
  await bazaar.close();
});

const seller = (n: number): string => `${urls[n % urls.length] ?? ''}/goods?at=once`;
const buyReceipt = async (n: number): Promise<string> =>
  signedHeader(await bazaar.market.buy({ invoice: await quote(seller(n)) }), bazaar.market.buyer);

/** Shows each of these so often, all at once and to all four. Resolves with the number of grants. */
const showAtOnce = async (headers: readonly Record<string, string>[]): Promise<number> => {
  const all = Array.from({ length: shown }, (_, n) => n).flatMap((n) =>
    headers.map((one) => ask(seller(n), null, { headers: one })),
  );
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 402]));
  return statuses.filter((status) => status === 200).length;
};
const headersOf = (credential: Credential) => ({ [header[credential.dialect]]: encoded(credential) });

/** The transaction of an honest payment, as one who saw it would show it in the two protocols that need no key of its payer. */
const across = async (txSignature: string): Promise<Record<string, string>[]> => {
  const { challenge } = challengeIn(await ask(seller(0)));
  const mpp = {
    dialect: 'mpp' as const,
    json: { challenge, payload: { type: 'signature', signature: txSignature } },
  };
  const receipt = await bazaar.market.buy({ invoice: await quote(seller(1)) });
  return [headersOf(mpp), { 'x-payment': signedHeader({ ...receipt, txSignature }, bazaar.market.buyer) }];
};

it.each(['receipt', ...foreign] as const)(
  `a payment of %s that is shown ${shown} times at once to four processes, also as another’s, is one grant`,
  async (dialect) => {
    if (dialect === 'receipt') {
      const receipt = await bazaar.market.buy({ invoice: await quote(seller(0)) });
      const honest = { 'x-payment': signedHeader(receipt, bazaar.market.buyer) };
      expect(await showAtOnce([honest, ...(await across(receipt.txSignature))])).toBe(1);
      return;
    }
    const credential = await pay(bazaar.market, dialect, seller(0));
    const seen = dialect === 'mpp' ? String(credential.json['payload'].signature) : null;
    expect(await showAtOnce([headersOf(credential), ...(seen === null ? [] : await across(seen))])).toBe(1);
    if (seen !== null) return;
    // A payment of x402 is public once it has landed.
    const raw = new Database(join(bazaar.market.dataDir, 'grants.db'), { readonly: true });
    const landed = raw
      .prepare<[], string>('SELECT tx_signature FROM paywall_grant ORDER BY rowid DESC')
      .pluck();
    const txSignature = String(landed.get());
    raw.close();
    for (const one of [...(await across(txSignature)), headersOf(credential)])
      expect((await ask(seller(2), null, { headers: one })).status).toBe(402);
  },
);

test('one invoice that is paid twice at once is one grant', async () => {
  const invoice = await quote(seller(0));
  const bought = [await bazaar.market.buy({ invoice }), await bazaar.market.buy({ invoice })];
  const headers = bought.map((one) => ({ 'x-payment': signedHeader(one, bazaar.market.buyer) }));
  expect(await showAtOnce(headers)).toBe(1);
});

const purchases = tries(60, 1_000);
test(`${purchases} purchases while the secret changes all the time: each is served, once`, async () => {
  const raw = new Database(join(bazaar.market.dataDir, 'grants.db'));
  const numbers = Array.from({ length: purchases }, (_, n) => n);
  const statuses: number[] = [];
  let changes = 0;
  const buy = async (): Promise<void> => {
    for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) {
      const receipt = await buyReceipt(n);
      statuses.push((await ask(seller(n + 1), receipt)).status, (await ask(seller(n + 2), receipt)).status);
    }
  };
  const change = async (): Promise<void> => {
    for (; numbers.length > 0; changes += 1) {
      replaceSecret(raw, Date.now(), { endsEarlier: false });
      await ask(seller(changes));
    }
  };
  await Promise.all([...Array.from({ length: 6 }, buy), change()]);
  raw.close();
  expect(changes).toBeGreaterThan(10);
  expect(statuses.filter((status) => status === 200)).toHaveLength(purchases);
  expect(statuses.filter((status) => status === 402)).toHaveLength(purchases);
});
