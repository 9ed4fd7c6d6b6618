// The commands with which the owner of a cold treasury sets its allowance by hand, for a Ledger above all.
export interface AllowanceTarget {
  tokenAccount: string;
  /** This treasury. */
  delegate: string;
}

/** @param amount decimal USDC; null leaves a place to fill in */
export const approveCommand = ({ tokenAccount, delegate }: AllowanceTarget, amount: string | null): string =>
  `spl-token approve ${tokenAccount} ${amount ?? 'AMOUNT'} ${delegate} --owner usb://ledger --fee-payer usb://ledger`;

export const revokeCommand = ({ tokenAccount }: Pick<AllowanceTarget, 'tokenAccount'>): string =>
  `spl-token revoke ${tokenAccount} --owner usb://ledger --fee-payer usb://ledger`;
