// The commands with which the owner of a cold treasury sets its allowance by hand, for a Ledger above all.
import type { Reply } from '../schemas.ts';

type Cold = NonNullable<Reply<'getCold'>['cold']>;
export type AllowanceTarget = Pick<Cold, 'tokenAccount' | 'delegate' | 'network'>;

/** The first account of Phantom and of Ledger Live. Without `key`, the device signs for another address. */
const ledger = '"usb://ledger?key=0"';

const clusters = { mainnet: ' --url mainnet-beta', devnet: ' --url devnet', sandbox: '' } as const;

const signing = (network: Cold['network']): string =>
  `--owner ${ledger} --fee-payer ${ledger}${clusters[network]}`;

/** @param amount decimal USDC; null leaves a place to fill in */
export const approveCommand = (
  { tokenAccount, delegate, network }: AllowanceTarget,
  amount: string | null,
): string => `spl-token approve ${tokenAccount} ${amount ?? 'AMOUNT'} ${delegate} ${signing(network)}`;

export const revokeCommand = ({
  tokenAccount,
  network,
}: Pick<AllowanceTarget, 'tokenAccount' | 'network'>): string =>
  `spl-token revoke ${tokenAccount} ${signing(network)}`;

export const ledgerHint =
  'key=0 is the first account, as in Phantom and Ledger Live. solana-keygen pubkey "usb://ledger?key=0" prints its address: it has to be the cold wallet’s.';

export const pauseHint =
  'Drawing is paused for two minutes while you change the allowance. Run the command within them: a draw during the change would come on top of the new allowance.';

export const stopHint =
  'A stop holds back this treasury only; somebody who stole its key could still draw. To prevent that, revoke the allowance from your cold wallet.';
