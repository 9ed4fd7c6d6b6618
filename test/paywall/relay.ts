// An RPC between a seller and the sandbox, which fails as a test wants.
import { closeServer, listen } from './seller.ts';

/** Passes requests on to the sandbox, or behaves as `fault` says; the answers that `lose` names are lost. */
export const createRelay = async (rpcUrl: string) => {
  const relay = {
    fault: null as null | ((method: string) => [status: number, body: string] | 'drop' | null),
    lose: null as null | ((method: string) => boolean),
    calls: [] as string[],
  };
  const { url, server } = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { method } = JSON.parse(body) as { method: string };
      relay.calls.push(method);
      const answer = relay.fault?.(method);
      if (answer === 'drop') return void request.socket.destroy();
      if (answer) return void response.writeHead(answer[0]).end(answer[1]);
      void fetch(rpcUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
        .then((forwarded) => forwarded.text())
        .then((text) => (relay.lose?.(method) ? request.socket.destroy() : response.end(text)))
        // The chain ended before the one who asks.
        .catch(() => request.socket.destroy());
    });
  });
  return { relay, url, close: () => closeServer(server) };
};
