// The thief as a program of its own: reads its loot from standard input, and prints the micro-USDC that it took.
import { text } from 'node:stream/consumers';
import { createLog } from '../../../server/log.ts';
import { vaultOf } from '../../../server/vault/of-network.ts';
import { drain, type Way } from './thief.ts';

export interface Loot extends Way {
  /** A copy. */
  dataDir: string;
  passphrase?: string;
}

const { dataDir, passphrase, ...way } = JSON.parse(await text(process.stdin)) as Loot;
const vault = vaultOf({ dataDir, network: 'sandbox' }, createLog('silent'));
await vault.unlock(passphrase);
process.stdout.write(String(await drain(vault.signingKey, way)));
