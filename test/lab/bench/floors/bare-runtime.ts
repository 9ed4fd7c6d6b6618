// `bare-runtime.ts NAME N`: how many checked transfers a runtime of the sandbox runs in a second. They are signed before.
import { createTransferCheckedInstruction } from '@solana/spl-token';
import { Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { encodeMint, programs } from '../../../../server/sandbox/chain/account.ts';
import { tokenAccountOf } from '../../../../server/lib/solana/derived-address.ts';
import { loadRuntime, runtimeNames } from '../../../../server/sandbox/chain/load-runtime.ts';
import type { Runtime } from '../../../../server/sandbox/chain/runtime.ts';

const [payer, payee, mint] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
const memo = new PublicKey(programs.memo);
const accountOf = ({ publicKey }: Keypair): Uint8Array =>
  tokenAccountOf(publicKey.toBytes(), mint.publicKey.toBytes());

const holding = ({ publicKey }: Keypair): Uint8Array => {
  const data = Buffer.alloc(165);
  data.set(mint.publicKey.toBytes(), 0);
  data.set(publicKey.toBytes(), 32);
  data.writeBigUInt64LE(1_000_000_000n, 64);
  data[108] = 1;
  return data;
};

const fund = (runtime: Runtime): void => {
  const put = (address: Uint8Array, owner: Uint8Array, data: Uint8Array = new Uint8Array()): void =>
    runtime.write(address, { lamports: 10_000_000_000n, owner, executable: false, data });
  put(payer.publicKey.toBytes(), programs.system);
  put(mint.publicKey.toBytes(), programs.token, encodeMint(payer.publicKey.toBytes(), 6));
  for (const one of [payer, payee]) put(accountOf(one), programs.token, holding(one));
};

const signTransfer = (index: number): Uint8Array => {
  const [from, to] = [new PublicKey(accountOf(payer)), new PublicKey(accountOf(payee))];
  const transaction = new Transaction({
    recentBlockhash: PublicKey.default.toBase58(),
    feePayer: payer.publicKey,
  } as never).add(
    new TransactionInstruction({ keys: [], programId: memo, data: Buffer.from(`at:${index}`) }),
    createTransferCheckedInstruction(from, mint.publicKey, to, payer.publicKey, 1, 6),
  );
  transaction.sign(payer);
  return transaction.serialize();
};

const name = runtimeNames.find((one) => one === process.argv[2]);
if (!name) throw new Error('the first argument is the name of a runtime');
const { runtime } = await loadRuntime(name);
fund(runtime);
const wires = Array.from({ length: Number(process.argv[3]) }, (_, index) => signTransfer(index));
const begin = performance.now();
for (const wire of wires)
  if (runtime.execute(wire).err !== null) throw new Error('a transfer failed on the runtime');
process.stdout.write(`${Math.round((wires.length * 1000) / (performance.now() - begin))}\n`);
