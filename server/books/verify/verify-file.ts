// Verifies a file, for the command and for the program of its own.
import { createReadStream } from 'node:fs';
import { NotVerifiable } from './fault.ts';
import { rpcAt } from './rpc.ts';
import { isProved, verdictLines } from './told.ts';
import { verifyStatement } from './verify.ts';

/** @throws NotVerifiable, with a sentence that says why it could not be verified */
export const verifyFile = async (
  path: string,
  { signer, rpc }: { signer?: string | undefined; rpc?: string | undefined },
): Promise<{ lines: string[]; proved: boolean }> => {
  if (signer === undefined) throw new NotVerifiable('--signer: the address of the treasury has to be given.');
  if (rpc === undefined) throw new NotVerifiable('--rpc: the address of a Solana RPC has to be given.');
  try {
    const verdict = await verifyStatement(createReadStream(path), { signer, ask: rpcAt(rpc) });
    return { lines: verdictLines(verdict, signer), proved: isProved(verdict) };
  } catch (error) {
    // A reading that fails has a code of the system; what the RPC does wrong is explained where it is asked.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new NotVerifiable(`${path} cannot be read (${code}).`);
  }
};
