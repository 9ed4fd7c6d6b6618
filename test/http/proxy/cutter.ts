// A wire between a client and the host that can be cut.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Cutter {
  url: string;
  /** Ends all connections at once, with a reset. */
  cut(): void;
  close(): void;
}

/** The host checks the port of the Host header: it is exchanged on the way, for one of the same length. */
export const createCutter = async (host: string): Promise<Cutter> => {
  const { port: hostPort } = new URL(host);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const inner = connect(Number(hostPort), '127.0.0.1');
    for (const socket of [client, inner]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    client.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1').replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${hostPort}`);
      inner.write(Buffer.from(text, 'latin1'));
    });
    client.on('end', () => inner.end()).on('close', () => inner.destroy());
    inner.on('data', (chunk) => client.write(chunk)).on('end', () => client.end());
    inner.on('close', () => client.destroy());
  });
  let port = 0;
  while (String(port).length !== hostPort.length) {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  }
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    close() {
      server.close();
      cut();
    },
  };
};
