// Random limits at single services, for tests.
import * as fc from 'fast-check';
import {
  mapServiceLimits,
  serviceLimitFields,
  type ServiceLimit,
  type ServiceLimits,
} from '../../../server/contract/limits/service-limits.ts';
import type { Usdc } from '../../../server/money.ts';

/** At one service at least, one limit at least. */
export const anyServiceLimits = (
  services: readonly string[],
  amount: fc.Arbitrary<Usdc>,
): fc.Arbitrary<ServiceLimits> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...services), anyLimit(amount)), {
      selector: ([service]) => service,
      minLength: 1,
      maxLength: services.length,
    })
    .map((entries) => mapServiceLimits<Usdc, Usdc>(Object.fromEntries(entries), (one) => one));

const anyLimit = (amount: fc.Arbitrary<Usdc>): fc.Arbitrary<ServiceLimit> =>
  fc
    .subarray([...serviceLimitFields], { minLength: 1 })
    .chain((fields) => fc.record(Object.fromEntries(fields.map((field) => [field, amount]))));
