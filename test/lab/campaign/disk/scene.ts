// The undisturbed surroundings of a host under test: a chain, a seller, an image provider, and a record of every
// transaction that the host sends. And a treasury in them, with one funded agent.
import { createImageServer, type ImageServer } from '../../../harness/programs/image-server.ts';
import { createRpcProxy } from '../../../harness/chain/rpc-proxy.ts';
import {
  deploy,
  removeFolder,
  rpcCall,
  spawnSandbox,
  temporaryFolder,
  type TestAgent,
} from '../../../harness/treasury.ts';
import { createX402Seller, deliver, type X402Seller } from '../../../harness/chain/x402-seller.ts';
import { startVictim, type Victim } from './host-process.ts';

export interface Scene {
  rpcUrl: string;
  seller: X402Seller;
  provider: ImageServer;
  /** Arguments of a host on it. */
  args: readonly string[];
  /** The distinct transactions, base64, that left a host for the chain or the seller since the last call. */
  takeSent(): string[];
  /** Makes every transaction expire that is not on the chain by now. */
  warp(): Promise<void>;
  close(): Promise<void>;
}

export const openScene = async (): Promise<Scene> => {
  const folder = temporaryFolder();
  const sandbox = await spawnSandbox(folder, [
    '--confirm-ms',
    '0',
    '--finalize-ms',
    '0',
    '--log-level',
    'silent',
  ]);
  const { rpcUrl } = sandbox;
  // An interrupted campaign leaves no process behind; hosts end with their parent.
  const endSandbox = (): void => void process.kill(sandbox.pid, 'SIGKILL');
  process.once('exit', endSandbox);
  const proxy = await createRpcProxy(rpcUrl);
  const seller = await createX402Seller(rpcUrl);
  const provider = await createImageServer();
  // As with a facilitator, the same transaction again is the same settlement.
  const settled = new Map<string, Promise<string>>();
  seller.behave = async ({ transaction, settle, response }) => {
    const settling = settled.get(transaction) ?? settle();
    settled.set(transaction, settling);
    deliver(response, await settling);
  };
  const ws = `ws://127.0.0.1:${new URL(rpcUrl).port}`;
  return {
    rpcUrl,
    seller,
    provider,
    args: ['--rpc', proxy.url, '--ws', ws, '--allow-origin', seller.url],
    takeSent() {
      const own = proxy.seen
        .splice(0)
        .filter(({ method }) => method === 'sendTransaction')
        .map(({ params }) => String(params[0]));
      const shown = seller.shown.splice(0).map(({ transaction }) => transaction);
      return [...new Set([...own, ...shown])];
    },
    warp: async () => void (await rpcCall(rpcUrl, 'sandbox_warp', [400])),
    async close() {
      await proxy.close();
      await seller.close();
      await provider.close();
      process.off('exit', endSandbox);
      await sandbox.kill('SIGTERM');
      removeFolder(folder);
    },
  };
};

export interface Estate {
  dataDir: string;
  modelId: string;
  agentKey: string;
  start(under?: readonly string[]): Promise<Victim>;
  agentOf(victim: Victim): TestAgent['client'];
  remove(): void;
}

const agentId = 'mortal';

/** A new treasury; the host that made it keeps running. */
export const openEstate = async (
  scene: Scene,
  source?: string,
  dataDir: string = temporaryFolder(),
): Promise<{ estate: Estate; victim: Victim }> => {
  const start = (under: readonly string[] = []): Promise<Victim> =>
    startVictim({ dataDir, args: scene.args, under, ...(source === undefined ? {} : { source }) });
  const victim = await start();
  const { client } = victim;
  await client.post('/v1/sandbox/faucet', { amount: '100' });
  const provider = { apiKey: 'sk-test', baseUrl: scene.provider.url, atOnce: 4 };
  await client.post('/v1/image-providers/openai', provider);
  const { models } = (await client.get('/v1/models/settings')).body;
  const modelId = models.find(({ providerId }: { providerId: string }) => providerId === 'openai').id;
  await client.post(`/v1/models/${modelId}`, { enabled: true, pricing: { '1k': '0.01' } });
  const { key } = await deploy(client, agentId, {
    dailyBudget: '1000',
    maxPerPayment: '1',
    allocate: '50',
  });
  if (!(await victim.quiet(30_000))) throw new Error(`the first money did not come: ${victim.said()}`);
  const agentOf = (of: Victim): TestAgent['client'] => of.client.as(key);
  return {
    estate: { dataDir, modelId, agentKey: key, start, agentOf, remove: () => removeFolder(dataDir) },
    victim,
  };
};
