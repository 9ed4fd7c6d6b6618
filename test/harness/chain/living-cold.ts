// A treasury that lives from a cold one: its own wallet holds nothing, so every allocation is a draw.
import { formatUsdc, usdc } from '../../../server/money.ts';
import { createColdWallet, type ColdWallet } from './cold-wallet.ts';
import type { Treasury } from '../treasury.ts';

/**
 * Chooses a new cold wallet that holds 500 USDC and sends all of the treasury's own money to it.
 * @param allowance micro-USDC
 */
export const liveFromCold = async (
  { client, host, owner }: Treasury,
  allowance: bigint,
): Promise<ColdWallet> => {
  const cold = await createColdWallet(host.rpcUrl, 500_000_000n);
  await client.post('/v1/cold', { address: cold.address });
  await host.engine.context.funds.compare();
  const held = BigInt((await client.get('/v1/dashboard')).body['treasury'].amount);
  if (held > 0n) {
    const all = { to: cold.address, amount: formatUsdc(usdc(held)), asset: 'USDC' };
    const { status, text } = await client.post('/v1/treasury/withdraw', all, { key: `to ${cold.address}` });
    if (status !== 200) throw new Error(text);
  }
  if (allowance > 0n) await cold.allow(owner, allowance);
  await host.engine.context.funds.compare();
  return cold;
};
