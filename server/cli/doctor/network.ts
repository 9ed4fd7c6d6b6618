// Checks the chain and each RPC that leads to it (its host, its answer, what to do), and keys that others have.
import type { Reply } from '../../contract/schemas.ts';
import { moment } from '../table.ts';
import type { Check } from './check.ts';

type Report = Reply<'diagnostics'>;
type Snapshot = Reply<'dashboard'>;

export const chainChecks = (
  { about, chain, rpcs }: Pick<Report, 'about' | 'chain' | 'rpcs'>,
  outage: Snapshot['outage'],
): Check[] => [
  outage === null && chain.reachable
    ? { name: 'Chain', state: 'ok', found: `reachable: ${about.rpcHost}` }
    : notReached(about.rpcHost, outage),
  ...rpcs.map(rpcCheck),
  ...(about.network === 'sandbox' || about.secondRpcHost !== null ? [] : [noSecond]),
];

const notReached = (host: string, outage: Snapshot['outage']): Check => {
  const partly = outage !== null && !outage.isWhole;
  const found =
    outage === null
      ? `not reachable: ${host}`
      : `${partly ? 'reached in part' : 'not reachable'} since ${moment(outage.since)}: ${outage.rpcs.map((one) => `${one.host}: ${one.why}`).join('; ')}`;
  return {
    name: 'Chain',
    state: partly ? 'warning' : 'failed',
    found,
    next: partly
      ? 'Payments go on through the other RPC. Reserved money is released once both answer and agree.'
      : 'Check this machine’s network, and the RPC below. Everything goes on by itself once an RPC answers.',
  };
};

const rpcCheck = ({ host, role, down, faults }: Report['rpcs'][number]): Check => {
  const name = role === 'first' ? 'RPC' : 'Second RPC';
  if (down !== null)
    return {
      name,
      state: 'failed',
      found: `${host}${down.since === null ? '' : `, since ${moment(down.since)}`}: ${down.why}`,
      next: nextOf(down.why, role),
    };
  if (faults.length === 0)
    return {
      name,
      state: 'ok',
      found: `${host} answers all that is needed${role === 'first' ? ', and its websocket' : ''}`,
    };
  const isBad = faults.some(({ isNeeded }) => isNeeded);
  return {
    name,
    state: isBad ? 'failed' : 'warning',
    found: `${host}: ${faults.map(({ what, answer, without }) => `${what}: ${answer}. ${without}`).join(' ')}`,
    next: isBad
      ? `Use another RPC, or a plan of this one with these methods: ${optionOf(role)} URL.`
      : 'The treasury works without. Another RPC may have it.',
  };
};

const optionOf = (role: 'first' | 'second'): string => (role === 'first' ? '--rpc' : '--second-rpc');

const nextOf = (why: string, role: 'first' | 'second'): string => {
  if (/status 40[13]/.test(why)) return `Check the API key in the URL of ${optionOf(role)}.`;
  if (/status 429/.test(why)) return 'Wait, or take a larger plan: it allows too few requests.';
  if (/no JSON-RPC/.test(why)) return 'Open a page in a browser: your network may ask for a login.';
  return `Check this machine’s network and the URL of ${optionOf(role)}, or use another RPC.`;
};

const noSecond: Check = {
  name: 'Second RPC',
  state: 'warning',
  found: 'none',
  next: 'Give --second-rpc the URL of another provider: payments go on when one goes down, and reserved money is released only when both agree.',
};
