// A bank that makes USDC and gives SOL, by ordinary transactions: what it gives is a deposit in the receiver's history.
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToCheckedInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  MintLayout,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';

/** Mainnet's USDC: real programs, an issuer of our own. */
const usdc = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const decimals = 6;
const lamports = 4_000_000_000_000_000n;

const placeMint = (svm, authority) => {
  const data = Buffer.alloc(MINT_SIZE);
  const mint = {
    mintAuthorityOption: 1,
    mintAuthority: authority,
    supply: 0n,
    decimals,
    isInitialized: true,
    freezeAuthorityOption: 0,
    freezeAuthority: PublicKey.default,
  };
  MintLayout.encode(mint, data);
  svm.setAccount({
    address: usdc.toBase58(),
    data: new Uint8Array(data),
    executable: false,
    lamports: svm.minimumBalanceForRentExemption(BigInt(MINT_SIZE)),
    programAddress: TOKEN_PROGRAM_ID.toBase58(),
    space: BigInt(MINT_SIZE),
  });
};

/** The methods by which tests give money. */
export const createBank = ({ ledger, slots }) => {
  const bank = Keypair.generate();
  placeMint(ledger.svm, bank.publicKey);
  ledger.svm.setAccount({
    address: bank.publicKey.toBase58(),
    data: new Uint8Array(),
    executable: false,
    lamports,
    programAddress: SystemProgram.programId.toBase58(),
    space: 0n,
  });
  let sent = 0;
  const send = (...instructions) => {
    // No two transactions of the bank have the same bytes.
    sent += 1;
    const unique = SystemProgram.transfer({
      fromPubkey: bank.publicKey,
      toPubkey: bank.publicKey,
      lamports: sent,
    });
    const { blockhash } = slots.latest('processed');
    const transaction = new Transaction({ feePayer: bank.publicKey, recentBlockhash: blockhash });
    transaction.add(...instructions, unique).sign(bank);
    return ledger.send(new Uint8Array(transaction.serialize()));
  };
  return {
    requestAirdrop: (address, units) =>
      send(
        SystemProgram.transfer({
          fromPubkey: bank.publicKey,
          toPubkey: new PublicKey(address),
          lamports: units,
        }),
      ),
    /** Opens the owner's account, and mints micro-USDC into it. */
    sandbox_fundUsdc(address, units) {
      const owner = new PublicKey(address);
      const account = getAssociatedTokenAddressSync(usdc, owner, true);
      return send(
        createAssociatedTokenAccountIdempotentInstruction(bank.publicKey, account, owner, usdc),
        createMintToCheckedInstruction(usdc, account, bank.publicKey, BigInt(units), decimals),
      );
    },
  };
};
