// A paid MCP server with the official @x402/core and the MCP server SDK, over stdio or streamable HTTP.
// Settings: facilitatorUrl, payTo, http (true: over HTTP; its first line is then its url), slowMs (between settling and
// answering).
//   tools:     free; weather {city} 0.01 USDC; failing 0.01 USDC, and fails before it settles
//   prompts:   paid-prompt 0.01 USDC, where the client can pay; resources: paid://report likewise
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from 'node:http';
import { z } from 'zod';

const settings = JSON.parse(process.argv[2] ?? '{}');
const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';

const seller = new x402ResourceServer(new HTTPFacilitatorClient({ url: settings.facilitatorUrl }));
seller.register(network, new ExactSvmScheme());
await seller.initialize();
const { payTo } = settings;
const accepts = await seller.buildPaymentRequirements({ scheme: 'exact', network, payTo, price: '$0.01' });

let answered = 0;

/** Both bindings: the extension where the client says that it can pay, and the tool's result otherwise. */
const demand = async (resource, meta, error) => {
  const required = await seller.createPaymentRequiredResponse(accepts, resource, error);
  if (meta?.[capabilities]?.extensions?.['org.x402/payment'] !== undefined)
    return { resultType: 'payment_required', paymentRequired: required };
  return {
    isError: true,
    structuredContent: required,
    content: [{ type: 'text', text: JSON.stringify(required) }],
  };
};

const sell = async (resource, meta, work) => {
  const payment = meta?.['x402/payment'];
  if (payment === undefined) return demand(resource, meta, 'Payment required');
  const requirements = seller.findMatchingRequirements(accepts, payment);
  if (requirements === undefined) return demand(resource, meta, 'No matching requirements');
  const verified = await seller.verifyPayment(payment, requirements);
  if (!verified.isValid) return demand(resource, meta, verified.invalidReason);
  const result = await work();
  if (result.isError) return result;
  const settled = await seller.settlePayment(payment, requirements);
  if (!settled.success) return demand(resource, meta, settled.errorReason);
  answered += 1;
  await new Promise((resolve) => setTimeout(resolve, settings.slowMs ?? 0));
  return { ...result, _meta: { ...result._meta, 'x402/payment-response': settled } };
};

const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

const createOne = () => {
  const server = new McpServer({ name: 'paid', version: '1.0.0' });
  server.registerTool('free', { description: 'Costs nothing' }, () => text({ free: true }));
  server.registerTool(
    'weather',
    { description: 'Costs 0.01 USDC', inputSchema: z.object({ city: z.string() }) },
    ({ city }, { mcpReq }) =>
      sell({ url: 'mcp://tool/weather', description: 'Weather' }, metaOf(mcpReq), () =>
        text({ city, answered, mine: metaOf(mcpReq)?.['test/own'] ?? null }),
      ),
  );
  server.registerTool('failing', { description: 'Fails' }, ({ mcpReq }) =>
    sell({ url: 'mcp://tool/failing' }, metaOf(mcpReq), () => ({ isError: true, ...text('out of order') })),
  );
  server.registerPrompt('paid-prompt', { description: 'Costs 0.01 USDC' }, ({ mcpReq }) =>
    sell({ url: 'mcp://prompt/paid-prompt' }, metaOf(mcpReq), () => ({
      messages: [{ role: 'user', content: { type: 'text', text: 'bought' } }],
    })),
  );
  server.registerResource('report', 'paid://report', {}, (uri, { mcpReq }) =>
    sell({ url: 'mcp://resource/report' }, metaOf(mcpReq), () => ({
      contents: [{ uri: uri.href, text: 'bought' }],
    })),
  );
  return server;
};

const metaOf = (mcpReq) => ({ ...mcpReq._meta, ...mcpReq.envelope });

if (settings.http === true) {
  const handler = createMcpHandler(createOne);
  const http = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const response = await handler.fetch(
      new Request(`http://127.0.0.1${incoming.url}`, {
        method: incoming.method,
        headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body !== null) for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
  });
  http.listen(0, '127.0.0.1', () =>
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` })}\n`),
  );
  process.stdin.on('end', () => process.exit(0)).resume();
} else {
  serveStdio(createOne);
  process.stdin.once('end', () => process.exit(0));
}
