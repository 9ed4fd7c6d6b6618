// The operations under way when the fault comes, and the answers under their keys afterwards.
import type { Answer, Sent } from '../../../harness/http-client.ts';
import type { Victim } from './host-process.ts';
import type { Estate, Scene } from './scene.ts';

export type OperationName = 'pay' | 'eight pays' | 'allocate' | 'fetch' | 'generate' | 'refund';

export interface Place {
  scene: Scene;
  estate: Estate;
  victim: Victim;
}

/** The outcome of one key's request. */
export interface Told {
  status: number;
  /** Whether it reports that money was taken. */
  paid: boolean;
  /** The id of the payment, allocation or task. */
  id: string;
  text: string;
}

interface Operation {
  /** One for each request. */
  keys(base: string): string[];
  /** Sends the request of one key; rejects when the host dies under it. `prefer` as the header of that name. */
  ask(place: Place, key: string, prefer?: string): Promise<Answer>;
  told(place: Place, answer: Answer): Promise<Told>;
}

const base = '/v1/agents/mortal';
const one = (key: string): string[] => [key];
const sent = (key: string, prefer: string | undefined): Sent => ({
  key,
  ...(prefer === undefined ? {} : { prefer }),
});

const payment = (answer: Answer, id: unknown, status: unknown): Told => ({
  status: answer.status,
  paid: status === 'confirmed',
  id: String(id),
  text: answer.text,
});

const pay: Operation = {
  keys: one,
  ask: ({ estate, victim }, key, prefer) =>
    estate
      .agentOf(victim)
      .post(
        `${base}/pay`,
        { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' },
        sent(key, prefer),
      ),
  told: async (_, answer) => payment(answer, answer.body['paymentId'], answer.body['status']),
};

const generate = (works: boolean): Operation => ({
  keys: one,
  ask({ scene, estate, victim }, key, prefer) {
    scene.provider.answer = (asked) => (works ? asked.succeed() : asked.refuse(500, 'no'));
    const body = { prompt: key, modelId: estate.modelId, resolution: '1k' };
    return estate.agentOf(victim).post(`${base}/generate`, body, sent(key, prefer));
  },
  async told({ estate, victim }, answer) {
    const { status, text, body } = answer;
    if (typeof body['taskId'] !== 'string') return { status, paid: false, id: '', text };
    const { body: task } = await estate.agentOf(victim).get(`${base}/tasks/${body['taskId']}`);
    const { body: charge } = await victim.client.get(`/v1/transfers/${String(task['paymentId'])}`);
    return { status, paid: charge['status'] === 'confirmed', id: String(body['taskId']), text };
  },
});

export const operations: Readonly<Record<OperationName, Operation>> = {
  pay,
  'eight pays': { ...pay, keys: (key) => Array.from({ length: 8 }, (_, n) => `${key}-${n}`) },
  allocate: {
    keys: one,
    ask: ({ victim }, key, prefer) =>
      victim.client.post(`${base}/allocate`, { amount: '0.01' }, sent(key, prefer)),
    told: async (_, answer) => payment(answer, answer.body['transferId'], answer.body['status']),
  },
  fetch: {
    keys: one,
    ask: ({ scene, estate, victim }, key, prefer) =>
      estate
        .agentOf(victim)
        .post(`${base}/fetch`, { url: `${scene.seller.url}/data?of=${key}` }, sent(key, prefer)),
    told: async (_, answer) => {
      const paid = answer.body['payment'] ?? answer.body['details'] ?? {};
      return payment(answer, paid.paymentId, answer.status === 200 ? paid.status : 'no');
    },
  },
  generate: generate(true),
  refund: generate(false),
};
