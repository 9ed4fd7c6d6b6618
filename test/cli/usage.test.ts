// Input that the command refuses before it asks the treasury, and its words when the treasury does not answer.
import { createServer, type RequestListener, type Server } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeToken } from '../../server/client/terminal-token.ts';
import { table } from '../../server/cli/table.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';
import { run } from './terminal.ts';

let home: string;
beforeAll(() => {
  home = temporaryFolder();
});
afterAll(() => removeFolder(home));

describe('wrong usage', () => {
  it.each([
    'nonsense',
    '',
    'deploy scout',
    'deploy scout --daily-budget 1.2345678 --max-per-payment 1',
    'deploy scout --daily-budget 5 --max-per-payment 1e3',
    'allocate scout 0',
    'allocate scout -1',
    'allocate scout 1,5',
    'recall scout',
    'pay scout sandbox-weather 0.00',
    'pay scout sandbox-weather',
    'policy scout --new-payees perhaps',
    'policy scout --cooldown-seconds soon',
    'policy scout --approve-above nothing',
    'approve apr_1 --up-to 1 --until tomorrow',
    'statement --format pdf',
    'statement --from 2030-02-31x',
    'history --limit many',
    'unlock --passphrase-fd secret',
    'login --passphrase-fd secret',
    'mcp install cursor',
    'mcp install emacs --agent scout',
    'status --colour',
    'withdraw 1',
    'keys',
    'keys rotate scout',
    'standing revoke',
    'services add',
    'generate pier --model m',
    'generate pier -o file --model m --resolution 8k',
    'delivery',
    'completion tcsh',
  ])('“%s” ends with 2, a sentence and nothing on standard output', async (line) => {
    const ended = await run(line === '' ? [] : line.split(' '), { home });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/\w/);
  });

  it('does not include asking for help, which tells the exit codes of every subcommand', async () => {
    for (const args of [['--help'], ['pay', '--help'], ['mcp', 'install', '--help']]) {
      const ended = await run(args, { home });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      const codes = [...ended.stdout.matchAll(/^  (\d)  \S/gm)].map(([, code]) => Number(code));
      expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });

  it.each(
    [
      'login|status|agents|deploy a --daily-budget 1 --max-per-payment 1|rename a b|kill a|resume a|allocate a 1',
      'recall a 1|policy a|freeze|unfreeze --yes|lock|unlock|approvals|approve b --yes|deny b|pay a b 1|payment b',
      'services|history|statement|mcp install cursor --agent a|doctor|withdraw 1 a --yes|keys a|keys add a',
      'keys revoke a b --yes|standing|standing revoke a --yes|services add https://a.example --yes|models',
      'generate p --model m -o f --agent a|delivery p',
    ].flatMap((lines) => lines.split('|')),
  )('“%s” without a treasury ends with its own code', async (line) => {
    const ended = await run([...line.split(' '), '--data', home], { home });
    expect(ended.code).toBe(line === 'doctor' ? 1 : 8);
    expect(ended.stderr + ended.stdout).toContain('The treasury is not running. Start it');
  });
});

/** A server in the treasury's place that answers as the test says. */
const standIn = async (answer: RequestListener): Promise<{ dataDir: string; server: Server }> => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dataDir = join(home, String((server.address() as AddressInfo).port));
  mkdirSync(join(dataDir, 'runtime'), { recursive: true });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = { url, pid: 1, owner: '1'.repeat(32), network: 'sandbox' };
  writeFileSync(join(dataDir, 'runtime', 'endpoint.json'), JSON.stringify(endpoint));
  writeToken(dataDir, { token: 'a-token', expiresAt: new Date(Date.now() + 60_000).toISOString() });
  return { dataDir, server };
};

describe('an answer that is lost', () => {
  it.each<[string, RequestListener]>([
    ['before it begins', (request) => request.socket.destroy()],
    [
      'in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
        response.write('{"paymentId":', () => response.socket?.destroy());
      },
    ],
    [
      'by an internal error',
      (_, response) => response.writeHead(500).end('{"code":"internal","error":"Oh."}'),
    ],
  ])('%s prints the idempotency key under which the payment can be repeated', async (_, answer) => {
    const keys: unknown[] = [];
    const { dataDir, server } = await standIn((request, response) => {
      keys.push(request.headers['idempotency-key']);
      answer(request, response);
    });
    for (const args of ['pay scout weather 1', 'allocate scout 1', 'recall scout 1']) {
      const ended = await run([...args.split(' '), '--data', dataDir], { home });
      expect(ended).toMatchObject({ code: 9, stdout: '' });
      expect(ended.stderr).toContain(`Repeat it with --key ${String(keys.at(-1))}`);
    }
    await run(['pay', 'scout', 'weather', '1', '--key', 'my-own', '--data', dataDir], { home });
    expect(keys.at(-1)).toBe('my-own');
    expect(new Set(keys).size).toBe(keys.length);
    server.close();
  });

  it('is not reported when nothing was sent', async () => {
    const { dataDir, server } = await standIn(() => {});
    await new Promise((resolve) => server.close(resolve));
    const ended = await run(['pay', 'scout', 'weather', '1', '--data', dataDir], { home });
    expect(ended.stderr).toBe(
      'The treasury is not running. Start it (in a checkout: npm start), or name its data folder with --data.\n',
    );
  });

  it('of a payment under way is reported as not settled', async () => {
    const { dataDir, server } = await standIn((_, response) =>
      response.writeHead(202).end('{"paymentId":"pay_1","status":"pending"}'),
    );
    const ended = await run(['pay', 'scout', 'weather', '1', '--data', dataDir, '--json'], { home });
    expect(ended).toMatchObject({ code: 9, json: { paymentId: 'pay_1', status: 'pending' } });
    expect(JSON.parse(ended.stderr)).toEqual({
      code: 'under_way',
      message: 'It is not confirmed yet. Check again: treasury payment pay_1',
      details: { paymentId: 'pay_1' },
    });
    server.close();
  });
});

describe('a table', () => {
  const io = { io: { colour: false } } as Parameters<typeof table>[0];

  it('aligns words to the left and numbers to the right', () => {
    expect(
      table(
        io,
        ['NAME', 'USDC'],
        [
          ['a', '10.00'],
          ['long name', '0.5'],
        ],
      ),
    ).toEqual(['NAME        USDC', 'a          10.00', 'long name    0.5']);
  });

  it('does not let text control the terminal', () => {
    const hostile = table(io, ['NAME'], [['\u001B]0;owned\u0007\u202Ereversed\nrow']]).join('|');
    expect(hostile).toBe('NAME| ]0;owned  reversed row');
  });

  it('is emphasised only where colour is wanted', () => {
    const coloured = { io: { colour: true } } as Parameters<typeof table>[0];
    expect(table(coloured, ['NAME'], [['a']])).toEqual(['\u001B[1mNAME\u001B[22m', 'a']);
  });
});
