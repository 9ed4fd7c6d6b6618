// Bugs of paid MCP servers, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const sellers = 'test/mcp/proxy/sellers.test.ts';

export const bugsOfMcp: readonly (Bug & TestTrial)[] = [
  {
    name: 'mcp01: a payee of an MCP server that the owner never saw',
    edits: one(
      'server/engine/payment/decision/pinned-payees.ts',
      'if (isMcp(purchase)) return isOther;',
      'if (isMcp(purchase)) return false;',
    ),
    file: sellers,
    title: 'is paid once the owner has seen its payee',
  },
  {
    name: 'mcp02: a demand after the payment passed on as an answer',
    edits: one(
      'server/mcp/proxy/purchase.ts',
      'refusesPayment(request, answer.said) ? textOf(askedAgain(payment)) : { answer }',
      '{ answer }',
    ),
    file: sellers,
    title: 'and asks again is never paid a second time',
  },
  {
    name: 'mcp03: a failed call taken for delivered',
    edits: one('server/mcp/proxy/calls.ts', ' && delivers(outcome.answer.said)', ''),
    file: sellers,
    title: 'and fails gets the same payment again',
  },
  {
    name: 'mcp04: the agent’s key given to the server',
    edits: one('server/mcp/proxy/wrapped-server.ts', '/^(?:TREASURY|npm)_/i', '/^npm_/i'),
    file: sellers,
    title: 'gives the server nothing of the treasury',
  },
  {
    name: 'mcp05: a quoted demand paid',
    edits: one('server/mcp/proxy/demand.ts', "result['isError'] === true ?", "result['isError'] !== 1 ?"),
    file: sellers,
    title: 'quotes-without-error',
  },
];
