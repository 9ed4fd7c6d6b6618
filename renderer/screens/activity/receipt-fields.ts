// The fields of a receipt, read for the owner. The seller verifies them; this only shows them.

const labels: Readonly<Record<string, string>> = {
  amount: 'Amount',
  service: 'Service',
  timestamp: 'Paid at',
  recipient: 'Paid to',
  payer: 'Paid from',
  invoice: 'Invoice',
  paymentId: 'Payment ID',
  txSignature: 'Signature',
  network: 'Network',
};

export interface ReceiptField {
  name: string;
  label: string;
  value: string;
}

const decoded = (receipt: string): unknown => {
  const [, base64 = ''] = /^v\d+\.([A-Za-z0-9+/]+={0,2})$/.exec(receipt) ?? [];
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
};

/** Empty for a receipt that cannot be read. */
export const fieldsOf = (receipt: string): ReceiptField[] => {
  const read = decoded(receipt);
  if (typeof read !== 'object' || read === null) return [];
  const values = read as Readonly<Record<string, unknown>>;
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = values[name];
    return typeof value === 'string' ? [{ name, label, value }] : [];
  });
};
