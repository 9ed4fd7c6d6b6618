// The verifier as a program of its own: one file, for a reader who has no treasury. It needs Node 20 and no package.
import { parseArgs } from 'node:util';
import { NotVerifiable } from './fault.ts';
import { verifyFile } from './verify-file.ts';

const usage = `Usage: node verify.mjs FILE --signer ADDRESS --rpc URL

Proves that a statement of an Agent Treasury is complete, unaltered and in order against its anchors on Solana.

  --signer ADDRESS  the address of the treasury, as you know it from elsewhere than the file
  --rpc URL         a Solana RPC that you trust, and that keeps the whole history

Exit codes: 0 proved, 1 not proved, 2 could not be checked.
`;

const run = async (): Promise<number> => {
  try {
    const { values, positionals } = argumentsIn();
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new NotVerifiable(usage);
    const { lines, proved } = await verifyFile(file, values);
    process.stdout.write(`${lines.join('\n')}\n`);
    return proved ? 0 : 1;
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(`${message.trimEnd()}\n`);
    return 2;
  }
};

/** @throws NotVerifiable */
const argumentsIn = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { signer: { type: 'string' }, rpc: { type: 'string' } },
    });
  } catch (error) {
    throw new NotVerifiable(`${(error as Error).message}\n\n${usage}`);
  }
};

process.exitCode = await run();
