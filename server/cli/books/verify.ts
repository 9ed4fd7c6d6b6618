// `treasury verify`: proves a statement against its anchors on the chain. It needs no treasury.
import { resolve } from 'node:path';
import { NotVerifiable } from '../../books/verify/fault.ts';
import { verifyFile } from '../../books/verify/verify-file.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { show } from '../terminal.ts';

/** In the place of the exit codes of the other commands. */
export const verifyExitCodesText = [
  '',
  'Exit codes:',
  '  0  proved',
  '  1  not proved',
  '  2  could not be checked, or wrong usage',
].join('\n');

export const addVerify = command('verify <file>', {
  about: 'prove that a statement is complete, unaltered and in order, against its anchors on the chain',
  examples: [
    'treasury verify january.jsonl --signer 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --rpc https://api.mainnet-beta.solana.com',
  ],
  options: {
    signer: { needed: ['address', 'the treasury’s address, obtained from a source other than this file'] },
    rpc: { needed: ['url', 'a Solana RPC that you trust and that keeps full history'] },
  },
  async run(terminal, { file, ...options }) {
    const { lines, proved } = await verdictOf(resolve(file), options);
    if (!proved) throw new Ending('failed', lines.join('\n'), {}, 'not_proved');
    show(terminal, { proved, lines }, () => lines);
  },
});

const verdictOf = async (file: string, options: { signer: string; rpc: string }) => {
  try {
    return await verifyFile(file, options);
  } catch (error) {
    if (error instanceof NotVerifiable) throw new Ending('usage', error.message, {}, 'not_verifiable');
    throw error;
  }
};
