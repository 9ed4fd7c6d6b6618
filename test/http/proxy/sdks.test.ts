// The official SDKs of model providers, with their own retries, on a base URL that is the proxy's: every piece of an
// answer comes before the next is made, and a connection that is cut at any step costs no second payment.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../../harness/kinds.ts';
import { installPeer, startPeer, type Peer } from '../../harness/programs/peers.ts';
import { openRich, seller, useSeller } from '../../harness/chain/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { createCutter, type Cutter } from './cutter.ts';
import { answerAsModel } from './model-server.ts';
import { pathThrough } from './through.ts';

const sdks = kinds(['openai', 'anthropic', 'ai', 'langchain']);
interface Said {
  text?: string;
  piece?: string;
  end?: boolean;
  failed?: string;
  status?: number | null;
}

useSeller();
let treasury: Treasury;
let cutter: Cutter;
let agent: TestAgent;
let peer: Peer;
let n = 0;
beforeAll(async () => {
  treasury = await openRich({ proxyHoldMs: 3_000 });
  cutter = await createCutter(treasury.host.url);
  if (sdks.length > 1) await installPeer('sdks');
  peer = await startPeer('openai', 'client', {});
}, 600_000);
afterAll(async () => {
  await peer.end();
  cutter.close();
  await treasury.close();
});

beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `coder-${n}`, { allocate: '1.00' });
  seller.behave = async ({ request, response, settle }) => {
    await settle();
    await answerAsModel(request, response, ['Hel', 'lo']);
  };
});

const say = (sdk: string, how: 'whole' | 'stream'): Promise<Said> => {
  const base = `${cutter.url}${pathThrough(agent.agentId, seller.url)}`;
  return peer.ask(JSON.stringify({ sdk, how, base, key: agent.key }));
};
const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const signed = (): number => new Set(seller.shown.map(({ transaction }) => transaction)).size;

describe.each(sdks)('%s', (sdk) => {
  it('gets a whole answer, paid once', async () => {
    expect(await say(sdk, 'whole')).toEqual({ text: 'Hello' });
    expect(rows()).toHaveLength(1);
  });

  it('gets each piece of a stream before the next one is made', async () => {
    const pieces = Array.from({ length: 20 }, (_, at) => `piece-${at} `);
    const got: string[] = [];
    let next: (() => void) | null = null;
    seller.behave = async ({ request, response, settle }) => {
      await settle();
      // A piece is made once the SDK has told the test of the one before.
      await answerAsModel(request, response, pieces, (at) =>
        at === 0 ? undefined : new Promise<void>((resolve) => (next = resolve)),
      );
    };
    let said = await say(sdk, 'stream');
    for (; said.piece !== undefined; said = await peer.next<Said>()) {
      got.push(said.piece);
      (await until('the seller', () => next ?? undefined))();
      next = null;
    }
    expect(said).toEqual({ end: true });
    expect(got).toEqual(pieces);
    expect(rows()).toHaveLength(1);
  });

  it('says that a stream is broken where its seller cut it', async () => {
    seller.behave = async ({ request, response, settle }) => {
      await settle();
      await answerAsModel(request, response, ['one', 'two'], (at) => {
        if (at < 2) return;
        response.socket?.destroy();
        return new Promise<void>(() => {});
      });
    };
    let said = await say(sdk, 'stream');
    for (; said.piece !== undefined; said = await peer.next<Said>());
    expect(said.failed).toBeDefined();
    expect([rows().length, signed()]).toEqual([1, 1]);
  });

  it.each(['asked', 'shown', 'settled', 'half an answer'])(
    'pays once when its connection is cut once its seller was %s',
    async (step) => {
      let isCut = false;
      const cutAt = (name: string): void => {
        if (name !== step || isCut) return;
        isCut = true;
        cutter.cut();
      };
      seller.asking = () => cutAt('asked');
      seller.behave = async ({ request, response, settle }) => {
        cutAt('shown');
        await settle();
        cutAt('settled');
        await answerAsModel(request, response, ['Hel', 'lo'], () => cutAt('half an answer'));
      };
      let said = await say(sdk, 'whole');
      // Where an SDK does not repeat by itself, its user does.
      for (let tries = 0; said.failed !== undefined && tries < 3; tries += 1) said = await say(sdk, 'whole');
      expect(said).toEqual({ text: 'Hello' });
      expect(isCut).toBe(true);
      expect([rows().length, signed()]).toEqual([1, 1]);
    },
  );

  it('does not repeat a request that waits for its owner', async () => {
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
    const asked = seller.asked();
    expect(await say(sdk, 'whole')).toMatchObject({ status: 402 });
    expect([rows().length, seller.asked() - asked]).toEqual([1, 1]);
  });
});
