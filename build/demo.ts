// `npm run demo`: the whole story in a terminal, on a temporary sandbox. Nothing is faked: each signature
// is of a transaction that a Solana runtime executed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';

const bold = (text: string): string => styleText('bold', text);
const dim = (text: string): string => styleText('dim', text);
const good = (text: string): string => styleText('green', text);
const bad = (text: string): string => styleText('red', text);
const say = (line = ''): void => void process.stdout.write(`${line}\n`);

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Shows a spinner while the work is done, then one line with its time. */
const step = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
  const begin = performance.now();
  let frame = 0;
  const spin = (): void => {
    process.stdout.write(`\r${styleText('cyan', frames[(frame += 1) % frames.length] ?? '')} ${title}`);
  };
  const timer = process.stdout.isTTY ? setInterval(spin, 80) : undefined;
  try {
    const result = await work();
    const ms = Math.round(performance.now() - begin);
    say(`${process.stdout.isTTY ? '\r' : ''}${good('✓')} ${title} ${dim(`${ms} ms`)}`);
    return result;
  } finally {
    clearInterval(timer);
  }
};

interface Ready {
  url: string;
  owner: string;
  cookieFile: string;
}
type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: Json;
}

const startHost = async (dataDir: string): Promise<{ child: ChildProcess; ready: Ready }> => {
  const main = fileURLToPath(new URL('../server/main.ts', import.meta.url));
  const flags = ['--import', new URL('preload.mjs', import.meta.url).href];
  const child = spawn(
    process.execPath,
    [...flags, main, '--data', dataDir, '--port', '0', '--log-level', 'warn'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error('The treasury did not start; it says why above.')),
  );
  const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text));
  return { child, ready: JSON.parse(await Promise.race([line, ended])) as Ready };
};

const ask = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, init);
  return { status: response.status, body: (await response.json()) as Json };
};

const expectOk = ({ status, body }: Answer): Json => {
  if (status !== 200) throw new Error(`${status}: ${String(body['error'])}`);
  return body;
};

/** Calls of /v1 with this token. */
const callerOf =
  ({ url, owner }: Ready, token: string) =>
  (method: string, path: string, body?: Json): Promise<Answer> =>
    ask(`${url}/v1${path}?owner=${owner}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

const story = async (ready: Ready): Promise<void> => {
  const { url, cookieFile } = ready;
  const asOwner = callerOf(ready, readFileSync(cookieFile, 'utf8'));
  const deployed = await step(
    'The owner deploys an agent: at most 0.50 USDC a payment, 1.00 a day',
    async () =>
      expectOk(
        await asOwner('POST', '/agents/deploy', {
          agentId: 'scout',
          dailyBudget: '1.00',
          maxPerPayment: '0.50',
        }),
      ),
  );
  const { env } = deployed['mcpConfig'] as { env: Record<string, string> };
  const asAgent = callerOf(ready, env['TREASURY_API_KEY'] ?? '');
  const balance = async (): Promise<string> =>
    String(expectOk(await asAgent('GET', '/agents/scout/balance'))['balance']);

  const allocated = await step('and gives it 2.00 USDC of the treasury’s 1,000', async () =>
    expectOk(await asOwner('POST', '/agents/scout/allocate', { amount: '2.00' })),
  );
  say(dim(`  transaction ${String(allocated['txSignature'])}`));
  const before = await balance();

  say(`\n${bold('The agent wants the weather in Lisbon.')}`);
  const weather = `${url}/sandbox/weather?city=Lisbon`;
  const quote = await step('GET /sandbox/weather?city=Lisbon', () => ask(weather));
  say(
    `  ${bad(String(quote.status))} Payment Required: ${String(quote.body['amount'])} ${String(quote.body['currency'])} to ${String(quote.body['recipient'])}`,
  );
  const { amount, currency, invoice } = quote.body;
  const paid = await step('It asks the treasury to pay, within its policy', async () =>
    expectOk(
      await asAgent('POST', '/agents/scout/pay', { service: 'sandbox-weather', amount, currency, invoice }),
    ),
  );
  say(dim(`  transaction ${String(paid['txSignature'])}`));
  const receipt = String(paid['xPaymentHeader']);
  say(dim(`  X-Payment: ${receipt.slice(0, 60)}…`));
  const data = await step('GET again, with the receipt', () =>
    ask(weather, { headers: { 'x-payment': receipt } }),
  );
  say(`  ${good(String(data.status))} ${String(data.body['summary'])}`);
  say(`  balance before ${bold(before)}, after ${bold(await balance())} USDC`);

  say(`\n${bold('Then somebody talks it into paying too much.')}`);
  const greedy = await step('pay 0.75 USDC', () =>
    asAgent('POST', '/agents/scout/pay', { service: 'sandbox-weather', amount: '0.75', currency }),
  );
  say(`  ${bad(String(greedy.status))} ${String(greedy.body['error'])}`);

  say(`\n${bold('The owner stops it with one click.')}`);
  await step('kill', async () => expectOk(await asOwner('POST', '/agents/scout/kill')));
  const killed = await step('pay 0.01 USDC', () =>
    asAgent('POST', '/agents/scout/pay', { service: 'sandbox-weather', amount: '0.01', currency }),
  );
  say(`  ${bad(String(killed.status))} ${String(killed.body['error'])}`);
  await step('resume', async () => expectOk(await asOwner('POST', '/agents/scout/resume')));
  const again = await step('pay 0.01 USDC', async () =>
    expectOk(
      await asAgent('POST', '/agents/scout/pay', { service: 'sandbox-weather', amount: '0.01', currency }),
    ),
  );
  say(dim(`  transaction ${String(again['txSignature'])}`));
  say(`  balance ${bold(await balance())} USDC\n`);
};

const dataDir = mkdtempSync(join(tmpdir(), 'agent-treasury-demo-'));
let child: ChildProcess | undefined;
process.on('SIGINT', () => process.exit(130));
process.on('exit', () => {
  child?.kill('SIGKILL');
  // Windows keeps the files of a program until it is gone.
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
});
try {
  say(
    `\n${bold('Agent Treasury')}: an agent pays for an API. ${dim('Test money on a real Solana runtime.')}\n`,
  );
  const host = await step('A treasury starts, with a local Solana of its own', () => startHost(dataDir));
  child = host.child;
  say(dim(`  ${host.ready.url}, treasury ${host.ready.owner}`));
  await story(host.ready);
  child.kill('SIGTERM');
  await once(child, 'exit');
  say(`That is all. To keep one running: ${bold('npm start')}`);
} catch (error) {
  say(bad(error instanceof Error ? error.message : String(error)));
  process.exitCode = 1;
}
