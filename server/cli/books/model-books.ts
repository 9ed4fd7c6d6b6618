// `treasury books models`, `invoice` and `correct`: model tokens in the books, which are not on the chain.
import { modelsWords, tokensWords } from '../../contract/books/book-words.ts';
import type { Reply } from '../../contract/schemas.ts';
import { limit, monthName } from '../arguments.ts';
import { ownerCommand } from '../command-row.ts';
import { facts } from '../table.ts';

const words = { month: ['such as 2026-11', monthName], amount: ['in USDC', limit] } as const;

export const modelLines = ({ suppliers }: Reply<'bookModels'>): string[] =>
  suppliers.length === 0
    ? []
    : [
        `Model tokens. ${modelsWords}`,
        ...facts(suppliers.map((one) => [one.supplierId, `${one.total} USDC: ${tokensWords(one)}`])),
      ];

export const modelBookCommands = [
  ownerCommand('models <month>', {
    about: 'the model tokens of a month by supplier, which are not on the chain, and what was invoiced',
    examples: ['treasury books models 2030-01'],
    arguments: words,
    ask: (owner, params) => owner.ask('bookModels', { params }),
    show: modelLines,
  }),
  ownerCommand('invoice <month> <supplier> <amount>', {
    about: 'enter what a supplier invoiced for a month, which clears what is owed; again: correct it',
    examples: ['treasury books invoice 2030-01 openai 42.00'],
    arguments: words,
    ask: (owner, { month, supplier: supplierId, amount }) =>
      owner.ask('addModelInvoice', { params: { month }, body: { supplierId, amount } }),
    show: modelLines,
  }),
  ownerCommand('correct <request> <amount>', {
    about: 'correct what a request to a model came to, in the limits too',
    examples: ['treasury books correct mod_01k2 0.20'],
    arguments: words,
    ask: (owner, { request: requestId, amount }) =>
      owner.ask('correctModelRequest', { body: { requestId, amount } }),
    show: ({ requestId, amount }) => facts([[requestId, `counts ${amount} USDC now`]]),
  }),
];
