// The protocols that we buy in, by name.
import type { Dialect } from '../../contract/payments/dialects.ts';
import { createMpp } from './mpp.ts';
import type { Market, Protocol } from './protocol.ts';
import { createReceipt } from './receipt.ts';
import { createX402V1 } from './x402-v1.ts';
import { createX402V2 } from './x402-v2.ts';

export const createProtocols = (market: Market) =>
  ({
    receipt: createReceipt(market),
    'x402-v2': createX402V2(market),
    'x402-v1': createX402V1(market),
    mpp: createMpp(market),
  }) satisfies Record<Dialect, Protocol>;
