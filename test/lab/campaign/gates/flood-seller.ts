// A seller in a process of its own whose answers are as expensive as possible to pass on: 1 MiB of characters that
// take six bytes each in JSON. Prints its origin.
import { createX402Seller } from '../../../harness/chain/x402-seller.ts';

const answer = Buffer.alloc(1_048_576, 1);

const [, , rpcUrl = ''] = process.argv;
const seller = await createX402Seller(rpcUrl);
seller.behave = async ({ settle, response }) => {
  await settle();
  response.end(answer);
};
process.stdout.write(`${seller.url}\n`);
