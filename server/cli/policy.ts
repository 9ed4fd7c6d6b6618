// `treasury policy`: prints an agent's policy, or changes the given fields.
import { Option, type Command } from 'commander';
import type { Input, Reply } from '../contract/schemas.ts';
import { limit, limitOrNone, reasonFrom, reasonOption, wholeNumber } from './arguments.ts';
import { asAgentOrOwner, showAnswer } from './session.ts';
import { facts } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Commander derives these names from the options; they equal the API's. */
type Change = Omit<NonNullable<Input<'setPolicy'>['body']>, 'approveAbove'> & { approveAbove?: string };

const services = (text: string): string[] => (text === 'any' ? [] : text.split(',').map((one) => one.trim()));

export const addPolicy = (program: Command, terminal: () => Terminal): void => {
  program
    .command('policy <agent>')
    .description('print an agent’s policy, or change the fields that are given')
    .option('--daily-budget <usdc>', 'what it may spend in 24 hours', limit)
    .option('--max-per-payment <usdc>', 'what one payment may be', limit)
    .option('--cooldown-seconds <n>', 'the pause between two payments', wholeNumber)
    .option('--allowed-services <ids>', 'service ids separated by commas, or any', services)
    .option('--approve-above <usdc>', 'ask the owner above this amount, or none', limitOrNone)
    .addOption(
      new Option('--new-payees <what>', 'whether a first payment to somebody asks the owner').choices([
        'allow',
        'approve',
      ]),
    )
    .option('--approval-minutes <n>', 'how long the owner has to answer', wholeNumber)
    .option(...reasonOption)
    .action((agentId: string, change: Change) => policy(terminal(), agentId, change));
};

const policy = async (terminal: Terminal, agentId: string, given: Change): Promise<void> => {
  const session = asAgentOrOwner(terminal);
  const params = { agentId };
  const { approveAbove, reason, ...rest } = given;
  const change =
    approveAbove === undefined
      ? rest
      : { ...rest, approveAbove: approveAbove === 'none' ? null : approveAbove };
  const isRead = Object.keys(change).length === 0;
  if (isRead) showAnswer<'getPolicy'>(terminal, await session.ask('getPolicy', { params }), linesOf);
  else {
    const body = { ...change, ...reasonFrom(session.role, reason) };
    showAnswer<'setPolicy'>(terminal, await session.ask('setPolicy', { params, body }), linesOf);
  }
};

const linesOf = ({ policy: rules }: Reply<'getPolicy'>): string[] =>
  facts([
    ['Daily budget', `${rules.dailyBudget} USDC`],
    ['Max per payment', `${rules.maxPerPayment} USDC`],
    ['Cooldown', `${rules.cooldownSeconds} s`],
    ['Allowed services', rules.allowedServices.length === 0 ? 'any' : rules.allowedServices.join(', ')],
    ['Approve above', rules.approveAbove === null ? 'none' : `${rules.approveAbove} USDC`],
    ['New payees', rules.newPayees],
    ['Approval', `within ${rules.approvalMinutes} min`],
  ]);
