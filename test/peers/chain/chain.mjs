// A Solana JSON-RPC over LiteSVM, with its websocket: a chain that shares no code with server/sandbox. It confirms and
// finalizes by the clock, as mainnet does, and keeps everything in memory.
// Settings: genesis (mainnet's hash unless given), slotMs (400), confirmMs (400), finalizeMs (13,000), seed. First line: rpcUrl, wsUrl,
// directUrl. At rpcUrl's port + 1 is the websocket too, where a client looks for it that was given rpcUrl alone.
// At directUrl the chain answers whatever the faults are; there `chain_faults {down, failing}` sets them: `down` cuts all
// connections, and `failing` is the share of requests, from 0 to 1, that are answered with HTTP status 503. `chain_calls` returns
// how often each method was called at rpcUrl.
import { createServer } from 'node:http';
import { ready, settings } from '../program.mjs';
import { createBank } from './bank.mjs';
import { RpcError } from './errors.mjs';
import { createLedger } from './ledger.mjs';
import { createMethods } from './methods.mjs';
import { createSlots } from './slots.mjs';
import { serveSubscriptions } from './subscriptions.mjs';

const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const { genesis = mainnet, slotMs = 400, confirmMs = 400, finalizeMs = 13_000, seed = 1 } = settings;
const triesOfPorts = 20;

const lag = { processed: 0, confirmed: confirmMs, finalized: finalizeMs };
const slots = createSlots({ slotMs, lag });
const ledger = createLedger({ slots, lag });
const faults = { down: false, failing: 0 };
const calls = {};
const methods = { ...createMethods({ slots, ledger, lag, genesis }), ...createBank({ ledger, slots }) };
const control = {
  chain_faults(wanted) {
    Object.assign(faults, wanted);
    if (faults.down) doors.forEach(({ cut }) => cut());
    return { ...faults };
  },
  chain_calls: () => ({ ...calls }),
};

const answerOne = ({ id, method, params = [] }, known) => {
  try {
    if (!Object.hasOwn(known, method)) throw new RpcError(-32_601, `Method not found: ${method}`);
    return { jsonrpc: '2.0', id, result: known[method](...params) };
  } catch (error) {
    const { code = -32_603, message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
};

/** The same draws in every run: a linear congruential generator (Numerical Recipes). */
let drawn = seed;
const draw = () => {
  drawn = (drawn * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return drawn / 2 ** 32;
};

const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
};

const handle = async (request, response) => {
  const isDirect = request.url === '/direct';
  if (faults.down && !isDirect) return void request.destroy();
  const asked = await bodyOf(request);
  if (!isDirect) {
    for (const { method } of [asked].flat()) calls[method] = (calls[method] ?? 0) + 1;
    if (draw() < faults.failing) return void response.writeHead(503).end('Service Unavailable');
  }
  const known = isDirect ? { ...methods, ...control } : methods;
  const answer = Array.isArray(asked) ? asked.map((one) => answerOne(one, known)) : answerOne(asked, known);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer));
};

const open = (port) =>
  new Promise((resolve, reject) => {
    const server = createServer({ noDelay: true }, (request, response) => {
      handle(request, response).catch(() => response.writeHead(400).end());
    });
    server.keepAliveTimeout = 60_000;
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

/** Two ports in a row. */
const openDoors = async () => {
  for (let tries = 0; ; tries += 1) {
    const first = await open(0);
    try {
      return [first, await open(first.address().port + 1)];
    } catch (error) {
      first.close();
      if (tries === triesOfPorts) throw error;
    }
  }
};

const isDown = () => faults.down;
const answerKnown = (request) => answerOne(request, methods);
const servers = await openDoors();
const doors = servers.map((server) =>
  serveSubscriptions(server, { ledger, slots, lag, slotMs, isDown, answer: answerKnown }),
);
const { port } = servers[0].address();
ready({
  rpcUrl: `http://127.0.0.1:${port}`,
  wsUrl: `ws://127.0.0.1:${port}`,
  directUrl: `http://127.0.0.1:${port}/direct`,
});
