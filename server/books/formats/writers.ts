// The writer of each format.
import { quickbooks, xero } from './bank-csv.ts';
import { beancount } from './beancount.ts';
import { hledger } from './hledger.ts';
import { ofx } from './ofx.ts';
import { spreadsheet } from './spreadsheet.ts';
import { taxWriters } from './tax.ts';
import type { Writers } from './writer.ts';

export const writers: Writers = {
  spreadsheet,
  ...taxWriters,
  quickbooks,
  xero,
  ofx,
  hledger,
  ledger: hledger,
  beancount,
};
