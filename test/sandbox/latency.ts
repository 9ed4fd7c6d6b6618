// A measurement, not a test: `node test/sandbox/latency.ts [transfers]`. Each transfer is signed beforehand; the time
// is from the subscription to its signature until the notification that it is confirmed.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { WebSocket } from 'ws';

import type { StandAlone } from './stand-alone.ts';
import { startStandAlone } from './stand-alone.ts';

const usdc = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

const signTransfers = async (
  sandbox: StandAlone,
  count: number,
): Promise<{ wire: string; signature: string }[]> => {
  const [payer, payee] = [Keypair.generate(), Keypair.generate()];
  await sandbox.call('requestAirdrop', payer.publicKey.toBase58(), 10_000_000_000);
  await sandbox.call('sandbox_fundUsdc', payer.publicKey.toBase58(), '1000000000');
  await sandbox.call('sandbox_fundUsdc', payee.publicKey.toBase58(), '0');
  const [from, to] = [payer, payee].map(({ publicKey }) =>
    getAssociatedTokenAddressSync(usdc, publicKey),
  ) as [PublicKey, PublicKey];
  const { value } = await sandbox.call<{ value: { blockhash: string } }>('getLatestBlockhash', {
    commitment: 'processed',
  });
  return Array.from({ length: count }, (_, index) => {
    const transaction = new Transaction({
      recentBlockhash: value.blockhash,
      feePayer: payer.publicKey,
    } as never).add(
      createTransferCheckedInstruction(from, usdc, to, payer.publicKey, 1, 6),
      new TransactionInstruction({ keys: [], programId: memo, data: Buffer.from(`at:${index}`) }),
    );
    transaction.sign(payer);
    return {
      wire: transaction.serialize().toString('base64'),
      signature: bs58.encode(transaction.signature ?? new Uint8Array()),
    };
  });
};

const agent = new Agent({ keepAlive: true });
const post = (url: string, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { agent, method: 'POST', headers }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve(text));
    });
    sent.on('error', reject).end(body);
  });

const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
};
const count = Number(process.argv[2] ?? 2000);
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-latency-'));
const started = performance.now();
const sandbox = await startStandAlone(dataDir, '--confirm-ms', '0', '--finalize-ms', '0');
console.log(`up after ${(performance.now() - started).toFixed(0)} ms`);
const pid = sandbox.process.pid ?? 0;
const transfers = await signTransfers(sandbox, count);
const socket = new WebSocket(sandbox.wsUrl);
await once(socket, 'open');
const [cpuBefore, rssBefore] = [cpuMs(pid), sandbox.residentMb()];
const total: number[] = [];
const sends: number[] = [];
let id = 0;
for (const { wire, signature } of transfers) {
  const begin = performance.now();
  const notified = new Promise<void>((resolve) => {
    const hear = (data: Buffer): void => {
      if (!data.includes('signatureNotification')) return;
      socket.off('message', hear);
      resolve();
    };
    socket.on('message', hear);
  });
  socket.send(
    JSON.stringify({
      jsonrpc: '2.0',
      id: ++id,
      method: 'signatureSubscribe',
      params: [signature, { commitment: 'confirmed' }],
    }),
  );
  const sendBegin = performance.now();
  const params = [wire, { encoding: 'base64', skipPreflight: false, preflightCommitment: 'confirmed' }];
  const answer = await post(
    sandbox.rpcUrl,
    JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'sendTransaction', params }),
  );
  if (!answer.includes(signature)) throw new Error(answer);
  sends.push(performance.now() - sendBegin);
  await notified;
  total.push(performance.now() - begin);
}
const at = (values: number[], part: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0).toFixed(2);
console.log(
  `subscribe, send, notified: p50 ${at(total, 0.5)} ms, p95 ${at(total, 0.95)} ms, p99 ${at(total, 0.99)} ms`,
);
console.log(`send alone: p50 ${at(sends, 0.5)} ms, p95 ${at(sends, 0.95)} ms`);
console.log(
  `server: ${((cpuMs(pid) - cpuBefore) / count).toFixed(3)} ms of CPU each, RSS ${rssBefore.toFixed(0)} -> ${sandbox.residentMb().toFixed(0)} MB`,
);
socket.close();
agent.destroy();
await sandbox.end('SIGTERM');
rmSync(dataDir, { recursive: true });
