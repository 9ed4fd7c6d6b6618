// The client that the conformance suite judges. It does what each scenario wants: it lists all, and calls every tool. The suite
// gives the scenario's URL as the last argument. PROXY is the command, as JSON, of a program between this client and the server.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { PROXY, HOME, PATH, NODE_COMPILE_CACHE, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const url = process.argv.at(-1);

const throughProxy = () => {
  const [command, ...args] = [...JSON.parse(PROXY), url];
  const env = { HOME, PATH, NODE_COMPILE_CACHE };
  return new StdioClientTransport({ command, args, env, stderr: 'inherit' });
};

const client = new Client(
  { name: 'conformance', version: '1' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    versionNegotiation: { mode: process.env.MCP_CONFORMANCE_PROTOCOL_VERSION >= '2026' ? 'auto' : 'legacy' },
  },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
await client.connect(PROXY === undefined ? new StreamableHTTPClientTransport(new URL(url)) : throughProxy());

const { tools } = await client.listTools();
const argumentsFor = {
  add_numbers: { a: 5, b: 3 },
  json_schema_echo: { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema },
};
const calls =
  JSON.parse(context).toolCalls ?? tools.map(({ name }) => ({ name, arguments: argumentsFor[name] ?? {} }));
// Some tools are there to fail.
await Promise.allSettled(calls.map((call) => client.callTool(call)));

const { resources, prompts } = client.getServerCapabilities();
if (resources !== undefined)
  for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
if (prompts !== undefined)
  for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
await client.close();
