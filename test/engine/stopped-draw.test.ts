// The owner stops drawing while the bytes of a draw are signed and no RPC has taken them: they are not sent again.
import { expect, it } from 'vitest';
import { liveFromCold } from '../harness/living-cold.ts';
import { createRpcProxy } from '../harness/rpc-proxy.ts';
import { deploy, openTreasury, openSandbox, until } from '../harness/treasury.ts';

it('sends no draw again after "Stop drawing", until the owner resumes', async () => {
  const sandbox = await openSandbox();
  const proxy = await createRpcProxy(sandbox.rpcUrl);
  const args = ['--rpc', proxy.url, '--ws', sandbox.rpcUrl.replace('http', 'ws')];
  const treasury = await openTreasury({ args });
  try {
    const { client, host } = treasury;
    const { store, machine } = host.engine.context;
    await client.post('/v1/sandbox/faucet', { amount: '10' });
    await deploy(client, 'one', { allocate: null });
    const cold = await liveFromCold(treasury, 50_000_000n);
    let refused = 0;
    proxy.fault = ({ method, id }, forward) => {
      if (method !== 'sendTransaction') return forward();
      refused += 1;
      return { jsonrpc: '2.0', id, error: { code: -32005, message: 'node is behind' } };
    };
    const drawing = client.post('/v1/agents/one/allocate', { amount: '30.00' });
    await until('the RPC to refuse it', () => refused > 0);
    const [draw] = await until('the draw to be sent', () => {
      const open = store.transfers.open();
      return open[0]?.state === 'sent' && open;
    });
    await client.post('/v1/cold/stop');
    proxy.fault = null;
    proxy.seen.length = 0;
    // Three looks at the chain, each of which would send it again.
    for (let look = 0; look < 3; look += 1) await machine.advance(draw?.id ?? '');
    await until(
      'later looks',
      () => proxy.seen.filter(({ method }) => method === 'getSignatureStatuses').length >= 3,
    );
    expect(proxy.seen.filter(({ method }) => method === 'sendTransaction')).toEqual([]);
    expect((await cold.account()).allowance).toBe(50_000_000n);

    await client.post('/v1/cold/resume');
    await drawing;
    await until('the draw to land', async () => (await cold.account()).allowance === 20_000_000n);
  } finally {
    await treasury.close();
    await proxy.close();
    await sandbox.close();
  }
});
