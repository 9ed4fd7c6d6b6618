// The official SDKs of model providers on the treasury's address, with the agent's key: the same answers, each of their own
// repetitions counted, and no refusal repeated.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../harness/kinds.ts';
import { installPeer, startPeer, type Peer } from '../harness/programs/peers.ts';
import { deploy, instantly, type TestAgent } from '../harness/treasury.ts';
import { asOwner, client, treasury, useTreasury } from '../http/api-treasury.ts';
import { answerAsModel } from '../http/proxy/model-server.ts';

const sdks = kinds(['openai', 'anthropic', 'ai', 'langchain']);
interface Said {
  text?: string;
  piece?: string;
  end?: boolean;
  failed?: string;
  status?: number | null;
}

let behave: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  void behave(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

useTreasury(() => ({ args: [...instantly, '--allow-origin', origin] }));
let peer: Peer;
let agent: TestAgent;
let n = 0;
beforeAll(async () => {
  for (const kind of ['openai', 'anthropic']) {
    const added = { kind, name: kind, baseUrl: `${origin}/v1`, apiKey: `sk-of-the-owner-${kind}` };
    const { supplierId } = await asOwner('model-suppliers', added);
    const prices = { inputPerMillion: '1', outputPerMillion: '1' };
    await asOwner('language-models', { supplierId, modelId: 'm', ...prices, maxOutput: 1_000 });
  }
  if (sdks.length > 1) await installPeer('sdks');
  peer = await startPeer('openai', 'client', {});
}, 600_000);
afterAll(async () => {
  await peer.end();
  server.close();
  server.closeAllConnections();
});

beforeEach(async () => {
  n += 1;
  asked = 0;
  agent = await deploy(client, `coder-${n}`, { dailyBudget: '1', maxPerPayment: '1' });
  await asOwner(`agents/${agent.agentId}/policy`, { allowedModels: ['m'] });
  behave = (request, response) => answerAsModel(request, response, ['Hel', 'lo']);
});

const say = (sdk: string, how: 'whole' | 'stream'): Promise<Said> => {
  const api = sdk === 'anthropic' ? 'anthropic' : 'openai';
  const base = `${treasury.host.url}/v1/agents/${agent.agentId}/llm/${api}`;
  return peer.ask(JSON.stringify({ sdk, how, base, key: agent.key }));
};
const rows = () =>
  treasury.host.engine.context.store.modelRequests.list({ agentId: agent.agentId, limit: 50 });

describe.each(sdks)('%s', (sdk) => {
  it('gets a whole answer, settled once', async () => {
    expect(await say(sdk, 'whole')).toEqual({ text: 'Hello' });
    expect(rows()).toMatchObject([{ state: 'settled', mark: 'exact', amount: 2n }]);
  });

  it('gets each piece of a stream', async () => {
    let said = await say(sdk, 'stream');
    const got: (string | undefined)[] = [];
    for (; said.piece !== undefined; said = await peer.next<Said>()) got.push(said.piece);
    expect([got, said]).toEqual([['Hel', 'lo'], { end: true }]);
    expect(rows()).toHaveLength(1);
  });

  it('repeats what its supplier cannot answer now, and each try counts by itself', async () => {
    behave = async (request, response) => {
      if (asked === 1) return void response.writeHead(529, { 'retry-after': '0' }).end('overloaded');
      await answerAsModel(request, response, ['Hello']);
    };
    expect(await say(sdk, 'whole')).toEqual({ text: 'Hello' });
    expect(rows().map(({ state, mark }) => [state, mark])).toEqual([
      ['settled', 'exact'],
      ['settled', 'unknown'],
    ]);
    expect(asked).toBe(2);
  });

  it('reads a refusal, and does not repeat it', async () => {
    await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '0.000001' });
    expect(await say(sdk, 'whole')).toMatchObject({ status: 402 });
    expect(asked).toBe(0);
    expect(rows()).toHaveLength(1);
  });
});
