// Gate 9, the other protocols of the paywall: altered credentials of MPP and x402, honest ones of wrong payments, and one
// payment that is shown in every protocol at once.
import { openBazaar } from '../../../paywall/bazaar.ts';
import { encoded, foreign, header, pay, show, type Foreign } from '../../../paywall/credentials.ts';
import { altered, change, wrongMemos, wrongPayments } from '../../../paywall/forged-credentials.ts';
import { ask, quote } from '../../../paywall/seller.ts';
import { signedHeader } from '../../../x402/keys.ts';
import type { Purchase } from '../../../x402/market.ts';
import { inParallel, type Sheet } from '../gate.ts';

const openShop = ({ stage }: Sheet) =>
  stage.keep(openBazaar({ visibleWithinMs: 0 }), (bazaar) => bazaar.close());

export const foreignForgeries = async (sheet: Sheet): Promise<void> => {
  const { exactly, none } = sheet;
  const { market, url, served } = await openShop(sheet);
  const taken: string[] = [];
  let presented = 0;
  let honest = 0;
  const refuse = async (name: string, attempt: () => ReturnType<typeof show>): Promise<void> => {
    const before = served.length;
    const { status } = await attempt();
    presented += 1;
    if (status !== 402 || served.length !== before) taken.push(`${name}: ${status}`);
  };
  const wrong = (dialect: Foreign): Record<string, () => Promise<Purchase>> =>
    Object.fromEntries(
      Object.entries({ ...wrongPayments, ...(dialect === 'x402-v1' ? {} : wrongMemos) }).map(
        ([name, make]) => [name, async () => make(market)],
      ),
    );
  for (const dialect of foreign) {
    for (const [name, alter] of Object.entries(altered[dialect])) {
      const credential = await pay(market, dialect, url);
      await refuse(`${dialect}, ${name}`, () => show(url, change(credential, alter, market)));
      // The refusals were because of the forgery: the honest credential of the same payment is accepted.
      if ((await show(url, credential)).status === 200) honest += 1;
    }
    for (const [name, make] of Object.entries(wrong(dialect)))
      await refuse(`${dialect}, ${name}`, async () =>
        show(url, await pay(market, dialect, url, await make())),
      );
  }
  const alterations = foreign.reduce((sum, dialect) => sum + Object.keys(altered[dialect]).length, 0);
  const payments = foreign.reduce((sum, dialect) => sum + Object.keys(wrong(dialect)).length, 0);
  exactly('forgeries in MPP and x402', presented, alterations + payments);
  none('forgeries in MPP and x402 taken', taken);
  exactly('honest credentials of the same payments served', honest, alterations);
};

/** One payment of each protocol, shown as often in its own and, where it can be, in the others. */
export const foreignReplays = async (sheet: Sheet): Promise<void> => {
  const { short, exactly, none } = sheet;
  const count = short ? 1_000 : 4_000;
  const { market, url, served } = await openShop(sheet);
  const odd: string[] = [];
  for (const dialect of ['receipt', ...foreign] as const) {
    const receipt = await market.buy({ invoice: await quote(url) });
    const mpp = await pay(market, 'mpp', url);
    const own = dialect === 'receipt' || dialect === 'mpp' ? mpp : await pay(market, dialect, url);
    const txSignature = dialect === 'mpp' ? String(mpp.json['payload'].signature) : receipt.txSignature;
    mpp.json['payload'].signature = txSignature;
    const shown: Record<string, string>[] =
      dialect === 'receipt' || dialect === 'mpp'
        ? [
            { [header.mpp]: encoded(mpp) },
            { 'x-payment': signedHeader({ ...receipt, txSignature }, market.buyer) },
          ]
        : [{ [header[own.dialect]]: encoded(own) }];
    const before = served.length;
    await inParallel(
      250,
      Array.from({ length: count }, (_, n) => n),
      async (n) => {
        const { status } = await ask(url, null, { headers: shown[n % shown.length] ?? {} });
        if (status !== 200 && status !== 402) odd.push(`${dialect}: ${status}`);
      },
    );
    exactly(`grants of one payment of ${dialect}, shown ${count} times at once`, served.length - before, 1);
  }
  none('other answers', odd);
};
