// Methods that only a sandbox has: giving away USDC, freezing an account of it, and moving time.
import bs58 from 'bs58';

import type { Chain } from '../chain/chain.ts';
import type { Methods } from './context.ts';
import { invalidParams } from './errors.ts';
import { addressParam, integerParam, textParam } from './params.ts';

const maxUnits = 2n ** 64n - 1n;
const maxWarp = 100_000_000;

export const sandboxMethods = (chain: Chain, onWarp: () => void): Methods => ({
  sandbox_fundUsdc: ([owner, units]) => {
    const text = textParam(units);
    if (!/^\d{1,20}$/.test(text) || BigInt(text) > maxUnits) {
      throw invalidParams('Invalid params: units must be a u64 as a decimal string');
    }
    return bs58.encode(chain.faucet.giveUsdc(addressParam(owner), BigInt(text)));
  },
  sandbox_freezeUsdc: ([owner, frozen]) => {
    if (typeof frozen !== 'boolean') throw invalidParams('Invalid params: frozen must be true or false');
    return bs58.encode(chain.faucet.freezeUsdc(addressParam(owner), frozen));
  },
  sandbox_warp: ([slotsParam]) => {
    const slots = integerParam(slotsParam);
    if (slots > maxWarp) throw invalidParams(`Invalid params: at most ${maxWarp} slots at once`);
    chain.clock.warp(slots);
    onWarp();
    return chain.clock.slot('processed');
  },
});
