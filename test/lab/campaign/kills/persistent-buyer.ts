// Clients that ask until they have a final answer, over as many hosts as it takes, and the kills of those hosts.
import type { Answer } from '../../../harness/http-client.ts';
import { between, type Sheet } from '../gate.ts';
import type { Life, World } from '../world.ts';

/** An API key of an agent. */
export interface Payer {
  agentId: string;
  key: string;
}

/** A purchase to be made once. A key that a crash cancelled is replaced by the next one, as the API asks. */
export interface Purchase {
  name: string;
  burnt: number;
  /** Terminal answers under each key. */
  told: Map<string, Set<string>>;
}

export const newPurchase = (name: string): Purchase => ({ name, burnt: 0, told: new Map() });

const keyOf = ({ name, burnt }: Purchase): string => `${name}.${burnt}`;

export const ask = (
  { as }: Life,
  { agentId, key: own }: Payer,
  key: string,
  body: object = {},
): Promise<Answer> =>
  as(own).post(
    `/v1/agents/${agentId}/pay`,
    { service: 'sandbox-weather', amount: '0.01', currency: 'USDC', ...body },
    { key },
  );

/** Asks until there is a final answer, over as many hosts as needed. */
export const buy = async (
  world: World,
  payer: Payer,
  purchase: Purchase,
  body: object = {},
): Promise<Answer> => {
  for (;;) {
    const life = await world.life();
    const key = keyOf(purchase);
    const answer = await ask(life, payer, key, body).catch(() => null);
    if (answer === null || answer.status === 202 || answer.status === 503) continue;
    purchase.told.set(key, (purchase.told.get(key) ?? new Set()).add(answer.text));
    if (answer.status !== 502) return answer;
    if (keyOf(purchase) === key) purchase.burnt += 1;
  }
};

export interface Kills {
  /** Call it before each request: some of them are followed by a kill. */
  count(): void;
  /** Waits for the last host, and returns the number of kills. */
  done(): Promise<number>;
  begun(): number;
}

/** So many SIGKILLs, spread over the requests at random. */
export const planKills = (
  { dice, say }: Pick<Sheet, 'dice' | 'say'>,
  world: World,
  { requests, kills }: { requests: number; kills: number },
): Kills => {
  const span = requests / (kills + 1);
  const delays = new Map(
    Array.from({ length: kills }, (_, n) => {
      return [Math.floor(span * (n + 0.5 + dice.roll())), between(dice, 0, 12)] as const;
    }),
  );
  let begun = 0;
  let killed = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    count() {
      const delay = delays.get(begun);
      begun += 1;
      if (delay === undefined) return;
      last = last.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, delay));
        await world.kill();
        killed += 1;
        say(`killed ${killed} of ${kills}`);
      });
    },
    done: () => last.then(() => killed),
    begun: () => begun,
  };
};
