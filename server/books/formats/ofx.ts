// Bank statements as OFX 1.0.2, section 11.4, with every element closed, as OFX 2 has it.
import { escapeText } from 'entities/escape';
import { formatCents, formatUsdc, usdc } from '../../money.ts';
import type { Network } from '../../engine/ports.ts';
import { createBankDays, type BankLine } from './bank-days.ts';
import type { Book, Writer } from './writer.ts';

export const ofx = (book: Book): Writer => {
  const days = createBankDays(book);
  const lastDay = book.dayAt(book.span.to - 1).name;
  const carry = (when: string): string =>
    `<!-- ${when} this statement, the chain has ${formatUsdc(usdc(days.carry()))} USDC more than all lines so far -->\n`;
  return {
    before: days.before,
    begin: () => {
      const firstDay = book.dayAt(book.span.from).name;
      return `${header}${carry('before')}${startOf(book, firstDay, lastDay)}`;
    },
    entry: (entry) => days.add(entry).map(lineOf).join(''),
    end: () => `${days.end().map(lineOf).join('')}${endOf(days.balanceCents(), lastDay)}${carry('after')}`,
  };
};

/** That of OFX 1.0.2: some readers know no other, and read the text as ASCII after that of OFX 2. */
const header = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:UTF-8
CHARSET:NONE
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<!-- 1 USDC counts 1.00 USD; fees of the network, in SOL, and model tokens, which are not on the chain, are not in this account -->
`;

const status = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>';

/** At most nine characters. */
const bankIds: Record<Network, string> = { mainnet: 'SOLANA', devnet: 'DEVNET', sandbox: 'SANDBOX' };
/** The most of an account's id, of a name and of a memo. */
const [accountLength, nameLength, memoLength] = [22, 32, 255];

/** The server's time is the last day: two exports of the same days are the same bytes. */
const startOf = ({ network, treasury }: Book, firstDay: string, lastDay: string): string => `<OFX>
<SIGNONMSGSRSV1><SONRS>${status}<DTSERVER>${dateOf(lastDay)}</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID>${status}
<STMTRS><CURDEF>USD</CURDEF>
<BANKACCTFROM><BANKID>${bankIds[network]}</BANKID><ACCTID>${treasury.slice(0, accountLength)}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>
<BANKTRANLIST><DTSTART>${dateOf(firstDay)}</DTSTART><DTEND>${dateOf(lastDay)}</DTEND>
`;

const lineOf = ({ day, id, payee, description, cents }: BankLine): string =>
  `<STMTTRN><TRNTYPE>${cents < 0n ? 'DEBIT' : 'CREDIT'}</TRNTYPE><DTPOSTED>${dateOf(day)}</DTPOSTED>` +
  `<TRNAMT>${formatCents(cents)}</TRNAMT><FITID>${id}</FITID>` +
  `<NAME>${textOf(payee, nameLength)}</NAME><MEMO>${textOf(`${payee}: ${description}`, memoLength)}</MEMO></STMTTRN>\n`;

const endOf = (cents: bigint, lastDay: string): string => `</BANKTRANLIST>
<LEDGERBAL><BALAMT>${formatCents(cents)}</BALAMT><DTASOF>${dateOf(lastDay)}</DTASOF></LEDGERBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1>
</OFX>
`;

/** Without a time, which programs would move to another zone, and so to another day. */
const dateOf = (day: string): string => day.replaceAll('-', '');

const textOf = (text: string, most: number): string => escapeText([...text].slice(0, most).join('').trim());
