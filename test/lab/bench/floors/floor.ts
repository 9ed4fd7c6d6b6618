// The floor: the cost of the same transfer with nothing around it. A bare sender in the bench's own process does this
// for each payment:
//   1. builds a legacy message with web3.js: memo, then transferChecked, on a blockhash fetched in the background,
//      with all keys and token accounts computed before;
//   2. signs it with node:crypto twice, as fee payer and as the wallet's owner, exactly as the treasury does;
//   3. subscribes to the signature at `confirmed` on a websocket that is open already;
//   4. in the same turn posts sendTransaction (base64, skipPreflight, maxRetries 0) on a connection that stays open;
//   5. is done when the notification says that it is confirmed without an error. It asks the chain nothing else.
// It has no policy, no ledger, no journal, no receipt, no HTTP server, and forgets everything when it crashes.
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey, TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import bs58 from 'bs58';
import { usdcMints } from '../../../../server/contract/treasury/networks.ts';
import { createJsonRpc } from './json-rpc.ts';
import { openNotifications } from './notifications.ts';

export interface Sender {
  address: string;
  /** Pays 0.01 USDC; resolves with the transaction's signature once it is confirmed. */
  pay(memo: string): Promise<string>;
}

export interface Floor {
  /** A wallet of its own with USDC; the fee payer is shared, as the treasury's is. */
  sender(): Promise<Sender>;
  close(): void;
}

export const units = 10_000;
const decimals = 6;
const refreshMs = 5_000;
const mint = new PublicKey(usdcMints.sandbox);
const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export const createFloor = async (rpcUrl: string, payee = newWallet().address): Promise<Floor> => {
  const rpc = createJsonRpc(rpcUrl);
  const notifications = await openNotifications(rpcUrl.replace('http', 'ws'));
  const payer = newWallet();
  await rpc.call('requestAirdrop', [payer.address, 100_000_000_000]);
  await rpc.call('sandbox_fundUsdc', [payee, '0']);
  const to = getAssociatedTokenAddressSync(mint, new PublicKey(payee));
  let blockhash = '';
  const refresh = async (): Promise<void> => {
    const latest = await rpc.call('getLatestBlockhash', [{ commitment: 'confirmed' }]);
    blockhash = (latest as { value: { blockhash: string } }).value.blockhash;
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(() => {}), refreshMs);

  const transfer = (wallet: Wallet, from: PublicKey, memo: string): { wire: string; signature: string } => {
    const instructions = [
      new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(memo) }),
      createTransferCheckedInstruction(from, mint, to, wallet.key, units, decimals),
    ];
    const message = new TransactionMessage({ payerKey: payer.key, recentBlockhash: blockhash, instructions })
      .compileToLegacyMessage()
      .serialize();
    const signature = sign(null, message, payer.secret);
    const wire = Buffer.concat([Buffer.of(2), signature, sign(null, message, wallet.secret), message]);
    return { wire: wire.toString('base64'), signature: bs58.encode(signature) };
  };

  return {
    async sender() {
      const wallet = newWallet();
      await rpc.call('sandbox_fundUsdc', [wallet.address, '1000000000']);
      const from = getAssociatedTokenAddressSync(mint, wallet.key);
      return {
        address: wallet.address,
        pay: (memo) =>
          new Promise((resolve, reject) => {
            const { wire, signature } = transfer(wallet, from, memo);
            notifications.confirmed(signature).then(() => resolve(signature), reject);
            const settings = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
            rpc.call('sendTransaction', [wire, settings]).catch(reject);
          }),
      };
    },
    close() {
      clearInterval(timer);
      notifications.close();
      rpc.close();
    },
  };
};

interface Wallet {
  secret: KeyObject;
  key: PublicKey;
  address: string;
}

export const newWallet = (): Wallet => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = new PublicKey(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  return { secret: privateKey, key, address: key.toBase58() };
};
