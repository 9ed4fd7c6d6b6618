// Random calls of one agent, or of one delegated key, over every endpoint and every tool, and the faults that an answer
// must never have.
import { z } from 'zod';
import { routes, urlOf, type Access, type RouteName } from '../../../server/contract/routes.ts';
import { exchanges } from '../../../server/contract/schemas.ts';
import { codeTable, type ErrorCode } from '../../../server/errors.ts';
import type { Answer, Client } from '../../harness/http-client.ts';
import type { Treasury } from '../../harness/treasury.ts';
import type { Bridge } from '../../mcp/bridge.ts';
import type { Dice } from '../../harness/dice.ts';
import { createInput, type Known, type Schema } from '../contract/random-input.ts';

export interface Attacker {
  dice: Dice;
  client: Client;
  bridge?: Bridge;
  /** Its API keys; more may come while it attacks. */
  keys: readonly [string, ...string[]];
  /** The routes that let it in. */
  mayCall: readonly Access[];
  /** The routes that it tries most, and the chance of them. */
  aims?: readonly [RouteName, ...RouteName[]];
  aiming?: number;
  owner: string;
  known: Known;
  /** Others' secrets and ids: the attack may send them, and no answer may reveal them. */
  secrets: readonly string[];
  /** The number of its requests that wait for the owner. */
  waiting(): number;
  mostWaiting: number;
  /** Called with each answer over HTTP. */
  heard?(route: RouteName, answer: Answer): void;
}

export interface Attack {
  askHttp(): Promise<void>;
  askBridge(): Promise<void>;
  faults: string[];
  /** How often each kind of answer came. */
  heard: Record<string, number>;
}

const schemaOf = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
const schemas = new Map(
  Object.entries(exchanges).map(([name, { query, body }]) => [
    name,
    { query: schemaOf(query), body: schemaOf(body) },
  ]),
);
// An event stream never ends: events.test.ts listens to it.
const names = Object.keys(routes).filter((name) => name !== 'agentEvents') as [RouteName, ...RouteName[]];
const stack = /\\n\s+at |node:internal|\.[cm]?[jt]s:\d/;

export const createAttack = ({
  dice,
  client,
  bridge,
  keys,
  mayCall,
  aims = ['pay'],
  aiming = 0.12,
  owner,
  known,
  secrets,
  waiting,
  mostWaiting,
  heard: tell = () => {},
}: Attacker): Attack => {
  const input = createInput(dice, known);
  const faults: string[] = [];
  const heard: Record<string, number> = {};

  /** The one, or a random one. */
  const oneOf = <T>(from: readonly [T, ...T[]]): T => (from.length === 1 ? from[0] : dice.pick(from));

  const look = (kind: string, asked: string, said: string): void => {
    heard[kind] = (heard[kind] ?? 0) + 1;
    const told = secrets.filter((secret) => said.includes(secret) && !asked.includes(secret));
    if (told.length > 0) faults.push(`tells ${told.join(', ')}: ${asked} ${said}`);
    if (stack.test(said)) faults.push(`shows a stack: ${asked} ${said}`);
    if (/"code": ?"internal"/.test(said)) faults.push(`broke: ${asked} ${said}`);
    if (waiting() > mostWaiting) faults.push(`${waiting()} questions wait: ${asked}`);
  };

  const askHttp = async (): Promise<void> => {
    const name = dice.isLucky(aiming) ? oneOf(aims) : dice.pick(names);
    const { method, path, access } = routes[name];
    const { query = {}, body: form = {} } = schemas.get(name) ?? {};
    const selected = dice.isLucky(0.9)
      ? owner
      : dice.pick([known['to']?.[0], '', 'x'].map(String) as [string]);
    const url = urlOf(path, selected, {
      params: Object.fromEntries(
        [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => [id, dice.pick(known[id] ?? ['x'])]),
      ),
      query: method === 'GET' ? input.object(query) : {},
    });
    const body = method === 'GET' ? {} : { body: input.value(form, '') };
    const key = oneOf(keys);
    const answer = await client.call(method, url, {
      ...body,
      owner: null,
      token: dice.isLucky(0.95) ? key : dice.pick([null, `${key}A`, 'x']),
      // Waiting would reveal nothing more.
      prefer: 'wait=0',
      ...(dice.isLucky(0.5) ? { key: dice.roll().toFixed(2) } : {}),
    });
    const { status, text } = answer;
    const asked = `${method} ${url} ${JSON.stringify(body)}`;
    look(`${status}`, asked, text);
    if (status >= 400 && codeTable[answer.body['code'] as ErrorCode].status !== status)
      faults.push(`${status} is not documented: ${asked} ${text}`);
    if (status < 400 && !mayCall.includes(access)) faults.push(`let in: ${asked} ${text}`);
    tell(name, answer);
  };

  const askBridge = async (): Promise<void> => {
    const [first, ...others] = bridge?.tools ?? [];
    if (bridge === undefined || first === undefined) throw new Error('there is a bridge, with tools');
    const { name, inputSchema = {} } = dice.pick([first, ...others]);
    const args = input.object(inputSchema);
    // Arguments that the tool's own schema refuses end as an error of the protocol.
    const said = await bridge.call(name, args).then(
      ({ isError, text }) => ({ kind: isError ? 'refused' : 'answered', text }),
      (error: unknown) => ({ kind: 'not understood', text: String(error) }),
    );
    look(`${name} ${said.kind}`, JSON.stringify(args), said.text);
  };

  return { askHttp, askBridge, faults, heard };
};

/** Makes so many calls, `atOnce` of them at a time. */
export const many = async (calls: number, atOnce: number, ask: () => Promise<void>): Promise<void> => {
  let left = calls;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await ask();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};

/** Values of fields by their names: within the policy, just beyond it, and of others. */
export const worthTrying = ({ host, owner }: Treasury, thief: string): Known => {
  const amounts = ['0.01', '0.02', '0.03', '0.04', '0.041', '0.05', '0.06', '0.5', '20', '1000'] as const;
  const weather = `${host.url}/sandbox/weather?city=`;
  return {
    agentId: ['hostile', 'hostile', 'hostile', 'hostile', 'victim', 'nobody', 'new-agent'],
    service: ['sandbox-weather', 'sandbox-weather', 'sandbox-weather', 'unlisted', 'nothing'],
    serviceId: ['sandbox-weather', 'unlisted'],
    allowedServices: ['sandbox-weather', 'unlisted', 'nothing'],
    amount: amounts,
    upTo: amounts,
    maxAmount: amounts,
    dailyBudget: ['0.01', '1.00', '1.01', '100'],
    maxPerPayment: ['0.01', '0.05', '0.06', '100'],
    approveAbove: ['0.00', '0.04', '0.05', null],
    to: [thief, owner],
    url: [`${weather}Oslo`, `${weather}Rome`, `${host.url}/v1/dashboard`, 'file:///etc/passwd', 'x'],
    headers: [{}, { 'x-payment': 'v1.e30=' }, { Host: 'x' }],
  };
};
