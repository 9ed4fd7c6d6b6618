// Agents that request paid answers as fast as they can, in a process of their own: each keeps so many fetches open,
// drains the answers, and acknowledges them at once. Ends with SIGTERM, and prints the count of each answer.
import { Agent, request } from 'node:http';

export interface Flood {
  url: string;
  owner: string;
  agents: readonly { agentId: string; key: string }[];
  seller: string;
  /** Open fetches of each agent. */
  atOnce: number;
}

const flood = JSON.parse(process.argv[2] ?? '{}') as Flood;
const connections = new Agent({ keepAlive: true });
const counts = new Map<number, number>();
const over = new AbortController();

const post = (path: string, key: string, body: object): Promise<{ status: number; tail: string }> =>
  new Promise((resolve, reject) => {
    const url = new URL(`${path}?owner=${flood.owner}`, flood.url);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const outgoing = request(url, { method: 'POST', agent: connections, headers }, (response) => {
      let tail = '';
      response.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString('latin1')).slice(-1_000)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, tail }));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });

const once = async (agentId: string, key: string): Promise<void> => {
  const { status, tail } = await post(`/v1/agents/${agentId}/fetch`, key, {
    url: `${flood.seller}/large`,
    maxBytes: 2_097_152,
  });
  counts.set(status, (counts.get(status) ?? 0) + 1);
  const [, paymentId] = /"paymentId":"(\w+)"/.exec(tail) ?? [];
  if (status === 200 && paymentId !== undefined)
    await post(`/v1/agents/${agentId}/payments/${paymentId}/received`, key, {});
};

const ask = async (agentId: string, key: string): Promise<void> => {
  while (!over.signal.aborted) await once(agentId, key).catch(() => {});
};

process.on('SIGTERM', () => {
  over.abort();
  const said = [...counts].map(([status, count]) => `${status}: ${count}`).join(', ');
  process.stdout.write(`${said}\n`, () => process.exit());
});
for (const { agentId, key } of flood.agents) for (let n = 0; n < flood.atOnce; n += 1) void ask(agentId, key);
process.stdout.write('flooding\n');
