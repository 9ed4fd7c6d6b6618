// An honest paid MCP server, over stdio, that settles by itself and recognises a payment that it has seen settle before.
// Settings: rpcUrl, payTo, feePayer (its 64 bytes in hex), mint.
//   buy {n}   0.01 USDC and n micro-USDC
//   die       ends at once
import { createInterface } from 'node:readline';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';

const { rpcUrl, payTo, feePayer, mint } = JSON.parse(process.argv[2]);
const facilitator = Keypair.fromSecretKey(Buffer.from(feePayer, 'hex'));
const say = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

const rpc = async (method, ...params) => {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.json();
};

/** Resolves with the signature once the chain shows it; null when it never will. */
const settle = async (transaction) => {
  const signed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
  signed.sign([facilitator]);
  const signature = bs58.encode(signed.signatures[0]);
  const wire = Buffer.from(signed.serialize()).toString('base64');
  await rpc('sendTransaction', wire, { encoding: 'base64', skipPreflight: true });
  for (let left = 40; left > 0; left -= 1) {
    const { result } = await rpc('getSignatureStatuses', [signature], { searchTransactionHistory: true });
    const [status] = result.value;
    if (status !== null) return status.err === null ? signature : null;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return null;
};

const demand = (n) => {
  const required = {
    x402Version: 2,
    resource: { url: 'mcp://tool/buy' },
    accepts: [
      {
        scheme: 'exact',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        amount: String(10_000 + n),
        asset: mint,
        payTo,
        maxTimeoutSeconds: 60,
        extra: { feePayer: facilitator.publicKey.toBase58() },
      },
    ],
  };
  const content = [{ type: 'text', text: JSON.stringify(required) }];
  return { isError: true, structuredContent: required, content };
};

const buy = async (id, n, payment) => {
  const transaction = payment === undefined ? null : await settle(payment.payload.transaction);
  if (transaction === null) return say(id, demand(n));
  say(id, {
    content: [{ type: 'text', text: `sold ${n}` }],
    _meta: { 'x402/payment-response': { success: true, transaction } },
  });
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    say(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } });
  }
  if (method !== 'tools/call') return;
  if (params.name === 'die') process.exit(3);
  void buy(id, params.arguments.n, params._meta?.['x402/payment']);
});
process.stdin.on('end', () => process.exit(0));
