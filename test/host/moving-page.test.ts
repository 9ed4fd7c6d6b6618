// The page on moving and leaving is true: every line that it prints is typed through npm, in its order, by an owner who
// moves from the words and a backup to a second home, from the words alone to a third, and leaves from there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldsIn } from '../../server/client/json-fields.ts';
import { useFolders } from '../harness/folders.ts';
import { createClient } from '../harness/http-client.ts';
import { deploy, until } from '../harness/treasury.ts';
import { scriptProgram, typeLine } from '../harness/programs/typed-line.ts';
import { hidesKeychain, openInside, openMainnet, passphrase, type Mainnet } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'build/docs/moving.md'), 'utf8');
/** Each line of its shell blocks. */
const printed = [...page.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].flatMap(([, block = '']) =>
  block
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
);

const folder = useFolders();
let mainnet: Mainnet;
beforeAll(async () => {
  mainnet = await openMainnet();
});
afterAll(() => mainnet.close());

/** A home whose owner types what the page prints, with its words in capitals filled in. */
const createHome = (values: Readonly<Record<string, string>>) => {
  const home = folder();
  const dataDir = join(home, '.agent-treasury');
  const env = {
    PATH: `${join(root, 'node_modules/node/bin')}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus',
  };
  const filled = (line: string): string => {
    const ended = line
      .replaceAll(/\b(?:FILE|ADDRESS|AMOUNT|AGENT|NAME)\b/g, (word) => values[word] ?? word)
      .replace('--rpc URL', mainnet.args.slice(2).join(' '));
    // Only this machine has several treasuries at once.
    return line.includes('--rpc') ? `${ended} --port 0 --owner-cookie --log-level silent` : ended;
  };
  const type = async (line: string, ...answers: (readonly [string, string])[]): Promise<string> => {
    const { code, shown } = await typeLine(filled(line), { env, cwd: root, answers });
    expect(code, `${line}: ${shown}`).toBe(0);
    return shown;
  };
  /** Types a line that starts a treasury; it runs until `stop`. */
  const start = async (line: string, ...answers: (readonly [string, string])[]) => {
    const running = typeLine(filled(line), { env, cwd: root, answers });
    const endpoint = join(dataDir, 'runtime', 'endpoint.json');
    const place = await until('the treasury', async () =>
      existsSync(endpoint) ? fieldsIn(endpoint) : undefined,
    );
    const cookie = await until('its cookie', async () => {
      const file = join(dataDir, 'owner.cookie');
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    });
    const client = createClient(String(place['url']), String(place['owner']), cookie);
    return {
      client,
      async stop() {
        client.close();
        process.kill(Number(place['pid']), 'SIGTERM');
        const { code, shown } = await running;
        expect(code, shown).toBe(0);
        return shown;
      },
    };
  };
  /** Types the login, which the owner grants in the dashboard. */
  const logIn = async (client: ReturnType<typeof createClient>): Promise<void> => {
    const waiting = type('npm run -s treasury -- login');
    const login = await until('the login', async () => (await client.get('/v1/logins')).body['logins'][0]);
    await client.post(`/v1/logins/${login.loginId}/grant`, {});
    await waiting;
  };
  return { dataDir, env, type, start, logIn };
};

it.skipIf(!hidesKeychain || !existsSync(scriptProgram))(
  'each line does what the page says, on the way from one machine to the next and out',
  async () => {
    const lines = [...printed];
    const next = (begin: string): string => {
      const line = lines.shift() ?? '';
      expect(line).toContain(begin);
      return line;
    };
    const treasury = (): string => next('npm run -s treasury -- ');
    const given: [string, string] = ['Passphrase of the vault', `${passphrase}\r`];
    const chosen: [string, string][] = [
      ['Choose a passphrase', `${passphrase}\r`],
      ['The same again', `${passphrase}\r`],
    ];
    const file = join(folder(), 'copy.db');
    const to = Keypair.generate().publicKey.toBase58();
    const values = { FILE: file, ADDRESS: to, AGENT: 'scout', NAME: 'Scout', AMOUNT: '1' };

    const old = createHome(values);
    const before = await openInside(old.dataDir, mainnet.args);
    await mainnet.fund(before.host.owner, 20_000_000n, 1_000_000_000n);
    await deploy(before.client, 'scout', { allocate: '5' });
    const exported = await old.type(next('--export-phrase'), given);
    expect(exported).toContain(`${before.host.owner} on mainnet`);
    const words = exported.trim().split('\n').at(-1)?.trim() ?? '';
    expect(words.split(' ')).toHaveLength(24);
    expect(next('login')).toBe('npm run -s treasury -- login');
    await old.logIn(before.client);
    await old.type(treasury());
    // The copy lacks this one.
    const scout = await before.client.post('/v1/agents/scout/recall', { amount: '1' });
    expect(scout.status).toBe(200);
    await before.close();

    const asks = [['The 24 words', `${words}\r`] as const, ...chosen];
    const importing = next('--import-phrase');
    const second = createHome(values);
    await (await second.start(importing, ...asks)).stop();
    expect(await second.type(next('--restore FILE'))).toContain('The backup is in its place');
    const again = await second.start(next('--rpc URL'), given);
    await until('the comparison', async () => {
      const { freeze } = (await again.client.get('/v1/dashboard')).body;
      return String(freeze.reason).includes('found on the chain and entered');
    });
    await second.logIn(again.client);
    expect(await second.type(treasury())).toContain('atk_');
    await second.type(treasury(), ['?', 'y\r']);
    expect((await again.client.get('/v1/dashboard')).body).toMatchObject({
      frozen: false,
      treasury: { amount: '16000000' },
      agents: [{ agentId: 'scout', balance: '4.00' }],
    });
    await again.stop();

    const third = createHome({ ...values, AGENT: 'restored-1' });
    const host = await third.start(importing, ...asks);
    await third.logIn(host.client);
    for (let n = 0; n < 4; n += 1) await third.type(treasury());
    const [status, doctor, agents] = [treasury(), treasury(), treasury()];
    expect(await third.type(status)).toMatch(/Balance +16\.00 USDC/);
    expect(await third.type(agents)).toMatch(/restored-1 +Scout +active +4\.00/);
    await third.type(doctor);
    await third.type(treasury());
    await third.type(treasury());
    expect(await third.type(treasury())).toContain('1.00 USDC');
    const files = [treasury(), treasury()];
    for (const line of files) {
      const [, name = ''] = /--out (\S+)/.exec(line) ?? [];
      await third.type(line.replace(name, join(folder(), name)));
    }
    await third.type(treasury(), ['?', 'y\r']);
    await third.type(treasury().replace('AMOUNT', '0.5'), ['?', 'y\r']);
    const { chain } = before.host.engine.context;
    expect((await chain.balances([to])).units).toEqual([1_000_000n]);
    await host.stop();
    expect(lines).toEqual([]);
  },
);
