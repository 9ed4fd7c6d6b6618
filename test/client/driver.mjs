// A program that buys with the package: each line of input is a request, each line of output says what came of one.
import { createInterface } from 'node:readline';
import process from 'node:process';
import { createTreasuryFetch, paymentOf } from 'agent-treasury-client';

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const treasuryFetch = createTreasuryFetch({
  onWaiting: ({ code, approvalId, paymentId }) => tell({ waiting: code, approvalId, paymentId }),
});

const call = async ({ url, withinMs, reads = true, ...init }) => {
  try {
    const signal = withinMs === undefined ? {} : { signal: AbortSignal.timeout(withinMs) };
    const response = await treasuryFetch(url, { ...init, ...signal });
    const payment = paymentOf(response)?.paymentId ?? null;
    if (!reads) tell({ begun: response.status });
    tell({ status: response.status, url: response.url, payment, text: await response.text() });
  } catch (error) {
    const { name, code = null, status = null, retryAt = null, paymentId = null, nextStep = null } = error;
    tell({ failed: name, code, status, retryAt, paymentId, nextStep, message: String(error.message) });
  }
};

tell({ ready: true });
for await (const line of createInterface({ input: process.stdin })) void call(JSON.parse(line));
