// Archived agents that are listed nevertheless.
import type { Reply } from '../../../server/contract/schemas.ts';
import { parseUsdc } from '../../../server/money.ts';

export type ListedAgent = Reply<'listAgents'>['agents'][number];

export const holdsMoney = ({ archived, balance }: ListedAgent): boolean =>
  archived && (parseUsdc(balance) ?? 0n) > 0n;
