// A file of each format, byte for byte, and a second export: of the same days, of more days, and of a part of them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentPart, usualAccount } from '../../../server/books/accounts.ts';
import { createDays } from '../../../server/lib/local-days.ts';
import { entriesOf, entryOfDeposit, type Entry } from '../../../server/books/entry.ts';
import {
  bookFormatNames,
  bookFormats,
  type BookFormatName,
} from '../../../server/contract/books/book-formats.ts';
import type { BookedTransfer } from '../../../server/engine/ports.ts';
import { lamports, usdc } from '../../../server/money.ts';
import { useFolders } from '../../harness/folders.ts';
import { bookOf, fileOf, readCsv, sumsOf, wholeDays } from './files.ts';
import { isMissing, judgedBy, judges, run } from './judges.ts';
import { pastOf, placeOf, treasury } from './past.ts';

const seller = 'Se11erA111111111111111111111111111111111111';
const at = (time: string): number => Date.parse(time);

const transfer = (given: Partial<BookedTransfer>): Entry[] =>
  entriesOf(
    {
      seq: 1,
      id: 'pay_1',
      kind: 'payment',
      isFailed: false,
      agentId: 'scout',
      groupId: 'group',
      payer: 'wallet of scout',
      payee: seller,
      splits: [],
      serviceId: 'service-1',
      serviceName: 'Weather; "Inc"',
      url: null,
      description: '=1|2  3',
      feeLamports: 0n,
      rentLamports: 0n,
      txSignature: 'Tx1',
      at: 0,
      asset: 'USDC',
      amount: usdc(2_000n),
      ...given,
    } as BookedTransfer,
    placeOf,
  );
const owner = { agentId: null, groupId: null, serviceId: null, serviceName: '', description: '' };

// In Berlin, the day after the clocks are set back begins at 23:00 UTC.
const entries = [
  entryOfDeposit(
    {
      id: 'dep_1',
      wallet: treasury,
      from: seller,
      asset: 'USDC',
      amount: usdc(10_000_000n),
      txSignature: 'Tx0',
      at: at('2026-10-25T22:59:59.999Z'),
    } as Parameters<typeof entryOfDeposit>[0],
    placeOf,
  ),
  ...transfer({
    ...owner,
    id: 'all_1',
    kind: 'allocation',
    payer: treasury,
    payee: 'wallet of scout',
    amount: usdc(5_000_000n),
    at: at('2026-10-25T23:00:00Z'),
  } as Partial<BookedTransfer>),
  ...transfer({ at: at('2026-10-25T23:00:01Z'), feeLamports: 5000n }),
  ...transfer({ id: 'pay_2', at: at('2026-10-26T12:00:00Z'), amount: usdc(9_000n), asset: 'USDC' }),
  ...transfer({
    ...owner,
    id: 'out_1',
    kind: 'withdrawal',
    payer: treasury,
    asset: 'SOL',
    amount: lamports(100_000_000n),
    at: at('2026-10-27T08:00:00Z'),
  } as Partial<BookedTransfer>),
];
const zone = 'Europe/Berlin';
const dayBook = bookOf({ zone, span: wholeDays(zone, entries) });

const crlf = (lines: string): string => lines.replaceAll('\n', '\r\n');
/** `;` and `|` are replaced there. */
const journal = `; Agent Treasury, 2026-10-25 to 2026-10-27, in days of Europe/Berlin
; 1 USDC counts 1.00 USD
; Fees of the network are in SOL. Balances are stated in USDC alone
commodity USD
commodity USDC
commodity SOL
payee Agent Treasury
P 2026-10-25 USDC 1.00 USD
account Assets:Treasury:Unallocated
account Equity:Deposits
payee Se11erA111111111111111111111111111111111111
2026-10-25 * (dep_1) Se11erA111111111111111111111111111111111111 | Deposit  ; tx:Tx0
    Assets:Treasury:Unallocated  10.00 USDC
    Equity:Deposits  -10.00 USDC

2026-10-25 * (balances) Agent Treasury | Balances at the end of the day
    Assets:Treasury:Unallocated  0 USDC = 10.00 USDC
account Assets:Treasury:Scout
payee Agent scout
2026-10-26 * (all_1) Agent scout | Transfer between own wallets  ; tx:Tx1
    Assets:Treasury:Scout  5.00 USDC
    Assets:Treasury:Unallocated  -5.00 USDC

account Expenses:Research
payee Weather, "Inc"
2026-10-26 * (pay_1) Weather, "Inc" | =1/2 3  ; agent:scout, group:Research “Europe”, costcentre:R D 2020-01-01, tx:Tx1
    Expenses:Research  0.002 USDC
    Assets:Treasury:Scout  -0.002 USDC

account Expenses:Network-Fees
payee Solana
2026-10-26 * (pay_1.fee) Solana | Network fee  ; agent:scout, group:Research “Europe”, tx:Tx1
    Expenses:Network-Fees  0.000005 SOL
    Assets:Treasury:Unallocated  -0.000005 SOL

2026-10-26 * (pay_2) Weather, "Inc" | =1/2 3  ; agent:scout, group:Research “Europe”, costcentre:R D 2020-01-01, tx:Tx1
    Expenses:Research  0.009 USDC
    Assets:Treasury:Scout  -0.009 USDC

2026-10-26 * (balances) Agent Treasury | Balances at the end of the day
    Assets:Treasury:Scout  0 USDC = 4.989 USDC
    Assets:Treasury:Unallocated  0 USDC = 5.00 USDC
account Equity:Withdrawals
2026-10-27 * (out_1) Se11erA111111111111111111111111111111111111 | Withdrawal  ; tx:Tx1
    Equity:Withdrawals  0.10 SOL
    Assets:Treasury:Unallocated  -0.10 SOL

`;

const expected: Record<BookFormatName, string> = {
  spreadsheet:
    crlf(`\ufeffid,date,time,utc,kind,from,to,counterparty,agent,group,service,account,cost centre,amount,asset,value in USD,transaction,description
dep_1,2026-10-25,23:59:59+01:00,2026-10-25 22:59:59Z,deposit,Se11erA111111111111111111111111111111111111,Treasury,Se11erA111111111111111111111111111111111111,,,,Equity:Deposits,,10.00,USDC,10.00,Tx0,
all_1,2026-10-26,00:00:00+01:00,2026-10-25 23:00:00Z,transfer,Treasury,Agent scout,,,,,,,5.00,USDC,5.00,Tx1,
pay_1,2026-10-26,00:00:01+01:00,2026-10-25 23:00:01Z,spending,Agent scout,Se11erA111111111111111111111111111111111111,Se11erA111111111111111111111111111111111111,scout,"Research, “Europe”","Weather; ""Inc""",Expenses:Research,"R; D, [2020-01-01]",0.002,USDC,0.002,Tx1,'=1|2 3
pay_1.fee,2026-10-26,00:00:01+01:00,2026-10-25 23:00:01Z,fee,Treasury,,,scout,"Research, “Europe”","Weather; ""Inc""",Expenses:Network-Fees,,0.000005,SOL,,Tx1,'=1|2 3
pay_2,2026-10-26,13:00:00+01:00,2026-10-26 12:00:00Z,spending,Agent scout,Se11erA111111111111111111111111111111111111,Se11erA111111111111111111111111111111111111,scout,"Research, “Europe”","Weather; ""Inc""",Expenses:Research,"R; D, [2020-01-01]",0.009,USDC,0.009,Tx1,'=1|2 3
out_1,2026-10-27,09:00:00+01:00,2026-10-27 08:00:00Z,withdrawal,Treasury,Se11erA111111111111111111111111111111111111,Se11erA111111111111111111111111111111111111,,,,Equity:Withdrawals,,0.10,SOL,,Tx1,
`),
  koinly:
    crlf(`Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash
2026-10-25 22:59:59,,,10.00,USDC,,,10.00,USD,,Se11erA111111111111111111111111111111111111: Deposit,Tx0
2026-10-25 23:00:01,0.002,USDC,,,0.000005,SOL,0.002,USD,cost,"Weather; ""Inc"": =1|2 3",Tx1
2026-10-26 12:00:00,0.009,USDC,,,,,0.009,USD,cost,"Weather; ""Inc"": =1|2 3",Tx1
2026-10-27 08:00:00,0.10,SOL,,,,,,,,Se11erA111111111111111111111111111111111111: Withdrawal,Tx1
`),
  coinledger:
    crlf(`Date (UTC),Platform (Optional),Asset Sent,Amount Sent,Asset Received,Amount Received,Fee Currency (Optional),Fee Amount (Optional),Type,Description (Optional),TxHash (Optional)
10/25/2026 22:59:59,Agent Treasury,,,USDC,10.00,,,Deposit,Se11erA111111111111111111111111111111111111: Deposit,Tx0
10/25/2026 23:00:01,Agent Treasury,USDC,0.002,,,SOL,0.000005,Merchant Payment,"Weather; ""Inc"": =1|2 3",Tx1
10/26/2026 12:00:00,Agent Treasury,USDC,0.009,,,,,Merchant Payment,"Weather; ""Inc"": =1|2 3",Tx1
10/27/2026 08:00:00,Agent Treasury,SOL,0.10,,,,,Withdrawal,Se11erA111111111111111111111111111111111111: Withdrawal,Tx1
`),
  cointracker:
    crlf(`Date,Received Quantity,Received Currency,Sent Quantity,Sent Currency,Fee Amount,Fee Currency,Tag
10/25/2026 22:59:59,10.00,USDC,,,,,
10/25/2026 23:00:01,,,0.002,USDC,0.000005,SOL,
10/26/2026 12:00:00,,,0.009,USDC,,,
10/27/2026 08:00:00,,,0.10,SOL,,,
`),
  cointracking: crlf(`Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange,Group,Comment,Date,Tx-ID
Deposit,10.00,USDC,,,,,Agent Treasury,,Se11erA111111111111111111111111111111111111: Deposit,2026-10-25 22:59:59,Tx0
Spend,,,0.002,USDC,0.000005,SOL,Agent Treasury,,"Weather; ""Inc"": =1|2 3",2026-10-25 23:00:01,Tx1
Spend,,,0.009,USDC,,,Agent Treasury,,"Weather; ""Inc"": =1|2 3",2026-10-26 12:00:00,Tx1
Withdrawal,,,0.10,SOL,,,Agent Treasury,,Se11erA111111111111111111111111111111111111: Withdrawal,2026-10-27 08:00:00,Tx1
`),
  quickbooks: crlf(`Date,Description,Amount
10/25/2026,Deposit from Se11erA111111111111111111111111111111111111 (deposit),10.00
10/26/2026,"Weather; ""Inc"" (spending)",-0.02
`),
  xero: crlf(`Date,Amount,Payee,Description,Reference
2026-10-25,10.00,Deposit from Se11erA111111111111111111111111111111111111,"deposit, 1 entry",4117d9ce89ab793b4fb4a4a21c8a0605
2026-10-26,-0.02,"Weather; ""Inc""","spending, 2 entries",8a2b253c9e7f4b9eee595d6455a45625
`),
  ofx: `OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:UTF-8
CHARSET:NONE
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<!-- 1 USDC counts 1.00 USD; fees of the network, in SOL, and model tokens, which are not on the chain, are not in this account -->
<!-- before this statement, the chain has 0.00 USDC more than all lines so far -->
<OFX>
<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS><DTSERVER>20261027</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>
<STMTRS><CURDEF>USD</CURDEF>
<BANKACCTFROM><BANKID>SOLANA</BANKID><ACCTID>Treasury11111111111111</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>
<BANKTRANLIST><DTSTART>20261025</DTSTART><DTEND>20261027</DTEND>
<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20261025</DTPOSTED><TRNAMT>10.00</TRNAMT><FITID>4117d9ce89ab793b4fb4a4a21c8a0605</FITID><NAME>Deposit from Se11erA111111111111</NAME><MEMO>Deposit from Se11erA111111111111111111111111111111111111: deposit, 1 entry</MEMO></STMTTRN>
<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20261026</DTPOSTED><TRNAMT>-0.02</TRNAMT><FITID>8a2b253c9e7f4b9eee595d6455a45625</FITID><NAME>Weather; "Inc"</NAME><MEMO>Weather; "Inc": spending, 2 entries</MEMO></STMTTRN>
</BANKTRANLIST>
<LEDGERBAL><BALAMT>9.98</BALAMT><DTASOF>20261027</DTASOF></LEDGERBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1>
</OFX>
<!-- after this statement, the chain has 0.009 USDC more than all lines so far -->
`,
  hledger: journal,
  ledger: journal,
  beancount: String.raw`; Agent Treasury, 2026-10-25 to 2026-10-27, in days of Europe/Berlin
; 1 USDC counts 1.00 USD
; Fees of the network are in SOL. Balances are stated in USDC alone
2026-10-25 price USDC 1.00 USD
2026-10-25 open Assets:Treasury:Unallocated
2026-10-25 open Equity:Deposits
2026-10-25 * "Se11erA111111111111111111111111111111111111" "Deposit" ^dep_1 ^Tx0
  id: "dep_1"
  Assets:Treasury:Unallocated  10.00 USDC
  Equity:Deposits  -10.00 USDC

2026-10-26 balance Assets:Treasury:Unallocated  10.00 ~ 0 USDC
2026-10-26 open Assets:Treasury:Scout
2026-10-26 * "Agent scout" "Transfer between own wallets" ^all_1 ^Tx1
  id: "all_1"
  Assets:Treasury:Scout  5.00 USDC
  Assets:Treasury:Unallocated  -5.00 USDC

2026-10-26 open Expenses:Research
2026-10-26 * "Weather; \"Inc\"" "=1|2 3" #scout ^pay_1 ^Tx1
  id: "pay_1"
  group: "Research, “Europe”"
  costcentre: "R; D, [2020-01-01]"
  Expenses:Research  0.002 USDC
  Assets:Treasury:Scout  -0.002 USDC

2026-10-26 open Expenses:Network-Fees
2026-10-26 * "Solana" "Network fee" #scout ^pay_1.fee ^Tx1
  id: "pay_1.fee"
  group: "Research, “Europe”"
  Expenses:Network-Fees  0.000005 SOL
  Assets:Treasury:Unallocated  -0.000005 SOL

2026-10-26 * "Weather; \"Inc\"" "=1|2 3" #scout ^pay_2 ^Tx1
  id: "pay_2"
  group: "Research, “Europe”"
  costcentre: "R; D, [2020-01-01]"
  Expenses:Research  0.009 USDC
  Assets:Treasury:Scout  -0.009 USDC

2026-10-27 balance Assets:Treasury:Scout  4.989 ~ 0 USDC
2026-10-27 balance Assets:Treasury:Unallocated  5.00 ~ 0 USDC
2026-10-27 open Equity:Withdrawals
2026-10-27 * "Se11erA111111111111111111111111111111111111" "Withdrawal" ^out_1 ^Tx1
  id: "out_1"
  Equity:Withdrawals  0.10 SOL
  Assets:Treasury:Unallocated  -0.10 SOL

`,
};

it.each(Object.entries(expected))('%s', (format, text) => {
  expect(fileOf(format as BookFormatName, dayBook, entries)).toBe(text);
});

it('two agents never become one account', () => {
  expect(['scout', 'Scout', 'a-b', 'a.b', 'a--b', 'unallocated', '7', '_'].map(agentPart)).toEqual([
    'Scout',
    'Scout--8a1db4',
    'A-b',
    'A-b--2e7336',
    'A-b--90827a',
    'Unallocated--7dfc05',
    '7',
    'X--d2e2ad',
  ]);
  // The account of another agent, made on purpose.
  expect(agentPart('unallocated--7dfc05')).toBe('Unallocated-7dfc05--03280f');
});

const day = (number: number): number => at('2026-11-10T12:00:00Z') + number * 86_400_000;

it('the costs of a payment are on its line in a tax program’s file, and those of an own transfer on theirs', () => {
  const [splits, costs] = [
    [{ payee: 'other', amount: usdc(500n), memo: null }],
    { feeLamports: 5_000n, rentLamports: 2_039_280n },
  ];
  const moves = [
    ...transfer({ at: day(0), splits, ...costs }),
    ...transfer({ id: 'all_2', at: day(0), kind: 'recall', payee: treasury, ...costs }),
    ...transfer({ id: 'pay_3', at: day(0), isFailed: true, feeLamports: 5_000n }),
    ...transfer({ id: 'pay_4', at: day(0) }),
  ];
  const rows = readCsv(fileOf('koinly', bookOf({ zone, span: wholeDays(zone, moves) }), moves)).slice(1);
  expect(rows.map((row) => [...row.slice(1, 3), ...row.slice(5, 7), row[10]?.split(': ')[1]])).toEqual([
    ['0.0015', 'USDC', '0.00204428', 'SOL', '=1|2 3'],
    ['0.0005', 'USDC', '', '', '=1|2 3'],
    ['0.000005', 'SOL', '', '', 'Network fee'],
    ['0.00203928', 'SOL', '', '', 'Rent of a token account'],
    ['0.000005', 'SOL', '', '', 'Network fee'],
    ['0.002', 'USDC', '', '', '=1|2 3'],
  ]);
});

const named = (serviceName: string, serviceId: string | null = null): string =>
  usualAccount({ ...(entries[1] as Entry), kind: 'spending', serviceName, serviceId }, new Set(), null);

it('an account is named after a service by the letters that the strictest syntax has', () => {
  expect(named('https://api.example.com/v1?q=1')).toBe('Expenses:APIs:Api-example-com');
  expect(named('Über; "x"\n  Assets:Cold  5')).toBe('Expenses:APIs:Ber-x-Assets-Cold-5');
  expect(named('漢字')).toBe('Expenses:APIs:X-c6d297');
  expect(named('', 'weather')).toBe('Expenses:APIs:Weather');
  expect(named('')).toBe('Expenses:APIs:Unknown-service');
});

it.each([
  ['Europe/Berlin', 2026],
  ['America/Sao_Paulo', 2018],
  ['Australia/Lord_Howe', 2027],
  ['Pacific/Apia', 2011],
])('the times of a spreadsheet are those of a clock in %s', (timeZone, year) => {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const moments = Array.from({ length: 3000 }, (_, index) => Date.UTC(year, 0, 1) + index * 10_513_777);
  const many = moments.map((moment) => ({ ...(entries[0] as Entry), at: moment }));
  const rows = readCsv(fileOf('spreadsheet', bookOf({ zone: timeZone, span: { from: 0, to: 2e12 } }), many));
  for (const [index, [, date, time = '']] of rows.slice(1).entries()) {
    const moment = moments[index] ?? 0;
    expect(`${date} ${time.slice(0, 8)}`).toBe(clock.format(moment));
    expect(Date.parse(`${date}T${time}`)).toBe(moment - (moment % 1000));
  }
});

it('a balance below zero is rounded down as well, and a line that moves no cent is left out', () => {
  const moves = [
    ...transfer({ at: day(0) }),
    ...transfer({ at: day(1), amount: usdc(3_000n), asset: 'USDC' }),
    ...transfer({ at: day(2), amount: usdc(5_001n), asset: 'USDC' }),
    ...transfer({ at: day(3), kind: 'recall', payee: treasury }),
  ];
  const text = fileOf('ofx', bookOf({ zone, span: wholeDays(zone, moves) }), moves);
  const amounts = [...text.matchAll(/<DTPOSTED>(\d+)<.*?<TRNAMT>(.*?)</g)].map(([, ...found]) => found);
  expect(amounts).toEqual([
    ['20261110', '-0.01'],
    ['20261112', '-0.01'],
  ]);
  expect(text).toContain('<BALAMT>-0.02</BALAMT>');
  expect(text).toContain('after this statement, the chain has 0.009999 USDC more');
});

const idsOf = (text: string): string[] => [...text.matchAll(/<FITID>(.*?)</g)].map(([, id = '']) => id);

describe('a second export', () => {
  const newFolder = useFolders();
  const past = pastOf({ seed: 11, zone, start: Date.parse('2026-03-26T20:00:00Z'), entries: 2_000 });
  const whole = wholeDays(zone, past);
  const startOf = (number: number): number => createDays(zone)(past[number]?.at ?? 0).from;
  const from = startOf(400);
  const to = startOf(1700);
  const partOf = (format: (typeof bookFormatNames)[number]): string =>
    fileOf(format, bookOf({ zone, span: { from, to } }), past);

  /** Between two lines or transactions. */
  const separators: Record<string, string> = { csv: '\r\n', ofx: '\n' };

  describe.each(bookFormatNames)('%s', (format) => {
    const separator = separators[bookFormats[format].extension] ?? '\n\n';

    it('is the same bytes twice', () => {
      const once = fileOf(format, bookOf({ zone, span: whole }), past);
      expect(fileOf(format, bookOf({ zone, span: whole }), past)).toBe(once);
    });

    it('of a part has the same lines as the whole', () => {
      // Each journal declares its accounts and payees by itself.
      const [text, part] = [fileOf(format, bookOf({ zone, span: whole }), past), partOf(format)].map((file) =>
        file.replaceAll(/^(?:\S+ open|account|payee) .*\n/gm, ''),
      );
      const isLine = (line: string): boolean => format !== 'ofx' || line.includes('<FITID>');
      // The first holds the head and what was before; the last, the balances of the last day.
      const common = part?.split(separator).filter(isLine).slice(1, -1) ?? [];
      expect(common.length).toBeGreaterThan(10);
      expect(text).toContain(common.join(separator));
    });
  });

  it.skipIf(isMissing('hledger'))(
    judgedBy('hledger imports a longer file as what is new in it', 'hledger'),
    () => {
      const hledger = judges.find(({ tool }) => tool === 'hledger');
      const folder = newFolder();
      const main = join(folder, 'main.journal');
      writeFileSync(main, '');
      const imported = (end: number): void => {
        const book = bookOf({ zone, span: { from: whole.from, to: end } });
        writeFileSync(join(folder, 'books.journal'), fileOf('hledger', book, past));
        run('hledger', ['-f', main, 'import', 'books.journal'], folder);
      };
      for (const end of [from, from, to, whole.to, whole.to]) imported(end);
      expect(existsSync(join(folder, '.latest.books.journal'))).toBe(true);
      // What was declared stays in the file that was imported.
      run('hledger', ['-f', main, 'check']);
      expect(hledger?.balances(main)).toEqual(sumsOf(past));
      expect(hledger?.ids(main).filter((id) => id !== 'balances')).toEqual(past.map(({ id }) => id));
      expect(readFileSync(main, 'utf8')).toContain(' = ');
    },
  );

  it.skipIf(isMissing('hledger'))(
    judgedBy('hledger adds the opening of a file that begins later, as is said of it', 'hledger'),
    () => {
      const folder = newFolder();
      const main = join(folder, 'main.journal');
      writeFileSync(main, '');
      for (const span of [
        { from: whole.from, to: from },
        { from, to: whole.to },
      ]) {
        writeFileSync(join(folder, 'books.journal'), fileOf('hledger', bookOf({ zone, span }), past));
        run('hledger', ['-f', main, 'import', 'books.journal'], folder);
      }
      expect(() => run('hledger', ['-f', main, 'check'])).toThrow();
      expect(bookFormats.hledger.importing).toBe('from-start');
    },
  );

  it('names the same id for the same line of a bank statement, whatever else is in the file', () => {
    const all = idsOf(fileOf('ofx', bookOf({ zone, span: whole }), past));
    const part = idsOf(partOf('ofx'));
    expect(new Set(all).size).toBe(all.length);
    expect(all.join()).toContain(part.join());
    const other = idsOf(fileOf('ofx', bookOf({ zone, span: whole, network: 'devnet' }), past));
    expect(all.filter((id) => other.includes(id))).toEqual([]);
    expect(
      readCsv(partOf('xero'))
        .slice(1)
        .map((row) => row[4]),
    ).toEqual(part);
  });

  it('refuses a file of more lines than a program takes, before the first of them', () => {
    const many = Array.from({ length: 1_200 }, (_, index) => index).flatMap((index) => {
      const [opening] = past;
      return opening === undefined ? [] : [{ ...opening, at: whole.from + index * 86_400_000 }];
    });
    const book = bookOf({ zone, span: wholeDays(zone, many) });
    expect(() => fileOf('xero', book, many)).toThrow(
      'to: must be before 2028-12-19: Xero takes 1000 lines a file.',
    );
    expect(() => fileOf('quickbooks', book, many)).toThrow(
      'to: must be before 2028-12-19: QuickBooks Online takes 1000 lines and 350 KB a file.',
    );
    const wordy = many.slice(0, 999).map((entry) => ({
      ...entry,
      kind: 'spending' as const,
      serviceName: 'long name '.repeat(40),
      from: entry.to,
      to: { kind: 'outside' as const, address: 'x' },
    }));
    expect(() => fileOf('quickbooks', book, wordy)).toThrow('350 KB a file');
    expect(readCsv(fileOf('xero', book, many.slice(0, 999)))).toHaveLength(1000);
  });

  it('the lines of a day in a bank statement do not depend on the order of its payments', () => {
    const dayAt = createDays(zone);
    const atNoon = past.map((entry) => ({ ...entry, at: dayAt(entry.at).from + 43_200_000 }));
    const backwards = atNoon.toReversed().toSorted((a, b) => a.at - b.at);
    const book = bookOf({ zone, span: whole });
    expect(fileOf('ofx', book, backwards)).toBe(fileOf('ofx', book, atNoon));
  });
});
