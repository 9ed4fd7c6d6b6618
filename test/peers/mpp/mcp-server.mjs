// A paid MCP server with the official mppx, @solana/mpp and the MCP SDK, over stdio.
// Settings: rpcUrl, recipient, feePayer (32 bytes in hex, with SOL), secret.
//   tools: push 0.01 USDC, whose transaction the buyer sends; pull 0.02 USDC, whose fee the seller pays; free
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { Mppx, solana } from '@solana/mpp/server';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Transport } from 'mppx/server';

const settings = JSON.parse(process.argv[2] ?? '{}');
const { rpcUrl, recipient, secret: secretKey } = settings;
const currency = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(settings.feePayer, 'hex'));

const charge = (parameters = {}) =>
  Mppx.create({
    secretKey,
    realm: 'peers.test',
    transport: Transport.mcpSdk(),
    methods: [
      solana.charge({ recipient, currency, decimals: 6, network: 'mainnet-beta', rpcUrl, ...parameters }),
    ],
  }).charge;
const offers = {
  push: charge()({ amount: '10000', currency }),
  pull: charge({ signer })({ amount: '20000', currency }),
};

let answered = 0;
const server = new McpServer({ name: 'paid', version: '1.0.0' });
server.registerTool('free', {}, () => ({ content: [{ type: 'text', text: 'free' }] }));
for (const [name, offer] of Object.entries(offers))
  server.registerTool(name, {}, async (extra) => {
    const result = await offer(extra);
    if (result.status === 402) throw result.challenge;
    answered += 1;
    return result.withReceipt({ content: [{ type: 'text', text: JSON.stringify({ answered }) }] });
  });
await server.connect(new StdioServerTransport());
process.stdin.once('end', () => process.exit(0));
