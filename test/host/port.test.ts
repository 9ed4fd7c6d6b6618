// A taken port: found before anything is built or made, told with its holder, and with what to type.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { takenPortOf } from '../../server/lib/net/port.ts';
import { checkPort } from '../../server/host/port.ts';
import { useFolders } from '../harness/folders.ts';
import { openTreasury, type Treasury } from '../harness/treasury.ts';
import { copySource, type SourceCopy } from '../lab/campaign/source-copy.ts';
import { refusedStart } from './support.ts';

const folder = useFolders();
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

let other: Server | undefined;
afterEach(async () => {
  if (other === undefined) return;
  const closed = once(other, 'close');
  other.close();
  if ('closeAllConnections' in other) (other as ReturnType<typeof createHttpServer>).closeAllConnections();
  await closed;
  other = undefined;
});
const listening = async (server: Server): Promise<number> => {
  other = server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
};
const answering = (answer: RequestListener): Promise<number> => listening(createHttpServer(answer));

const refusal = async (port: number, dataDir: string): Promise<unknown> =>
  checkPort({ port, dataDir }).then(
    () => null,
    (error: unknown) => error,
  );

describe('the holder of a taken port', () => {
  it.each<[string, RequestListener]>([
    ['a web server', (_, response) => response.end('hello')],
    ['one that hides behind a redirect', (_, response) => response.writeHead(302, { location: '/' }).end()],
    ['one that says much', (_, response) => response.end(`{"ok":true}${' '.repeat(1_000_000)}`)],
    ['one with a health of its own', (_, response) => response.end('{"status":"ok"}')],
    ['one that is busy', (_, response) => response.writeHead(503).end('{"error":"busy"}')],
  ])('is another program: %s', async (_, answer) => {
    const port = await answering(answer);
    const error = await refusal(port, folder());
    const taken = takenPortOf(error);
    expect(taken).toMatchObject({ port, holder: 'program', folder: null, freePort: expect.any(Number) });
    expect((error as Error).message).toBe(
      `Port ${port} on 127.0.0.1 is taken by another program. Start this one on another port: --port ${taken?.freePort} (with npm: npm start -- --port ${taken?.freePort})`,
    );
  });

  it('is another program also when it never says a word', async () => {
    const port = await listening(createServer((socket) => void socket.resume()));
    expect(takenPortOf(await refusal(port, folder()))).toMatchObject({ holder: 'program' });
  });

  it('is a treasury also while it starts', async () => {
    const port = await answering((_, response) =>
      response
        .writeHead(503)
        .end('{"error":"The treasury is starting. Try again in a moment.","code":"halted"}'),
    );
    expect(takenPortOf(await refusal(port, folder()))).toMatchObject({ holder: 'treasury', folder: null });
  });

  it('is nobody on a free port, and on none that is named', async () => {
    const port = await listening(createServer((socket) => void socket.resume()));
    other?.close();
    other = undefined;
    expect(await refusal(port, folder())).toBeNull();
    expect(await refusal(0, folder())).toBeNull();
  });

  it('leaves the next port to be offered', async () => {
    const port = await listening(createServer((socket) => void socket.resume()));
    const freePort = takenPortOf(await refusal(port, folder()))?.freePort ?? 0;
    expect(freePort).toBeGreaterThan(port);
    expect(await refusal(freePort, folder())).toBeNull();
  });
});

describe('beside a treasury that runs', () => {
  let treasury: Treasury;
  let source: SourceCopy;
  beforeAll(async () => {
    treasury = await openTreasury();
    source = copySource([]);
    rmSync(join(source.source, 'build/out'), { recursive: true, force: true });
  });
  afterAll(async () => {
    source.remove();
    await treasury.close();
  });
  const port = (): number => Number(new URL(treasury.host.url).port);

  it('a second one says whose port it is, and makes nothing in its own folder', async () => {
    const dataDir = folder();
    const { code, said, output } = await refusedStart(dataDir, ['--port', String(port())]);
    expect([code, output]).toEqual([1, '']);
    expect(said).toMatch(
      new RegExp(`^Port ${port()} on 127\\.0\\.0\\.1 is taken by another treasury\\. .*--port \\d+\\)\\n$`),
    );
    expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([]);
  });

  it('one of the same folder says that it runs already', async () => {
    const error = await refusal(port(), treasury.dataDir);
    expect(takenPortOf(error)).toMatchObject({ holder: 'treasury', folder: treasury.dataDir });
    expect((error as Error).message).toMatch(
      /^The treasury of \S+ is running already, on port \d+\. Use that one, or stop it first\./,
    );
  });

  it('npm start finds out before it builds', async () => {
    const dataDir = folder();
    const args = [
      '--import',
      './build/preload.mjs',
      'build/start.ts',
      '--data',
      dataDir,
      '--port',
      String(port()),
    ];
    const child = spawn(process.execPath, args, {
      cwd: source.source,
      env: { ...process.env, TREASURY_HEADLESS: '1' },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    expect(said).toMatch(/^Port \d+ on 127\.0\.0\.1 is taken by another treasury\. .*\n$/);
    expect(existsSync(join(source.source, 'build/out/dashboard.stamp'))).toBe(false);
    expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([]);
  });
});
