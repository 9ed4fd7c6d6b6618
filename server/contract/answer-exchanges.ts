// What is taken and given where a seller's answer is asked for again.
import { z } from 'zod';
import { get, nothing, post } from './exchange.ts';

const path = z.object({ agentId: z.string(), paymentId: z.string() });

export const answerExchanges = {
  answer: get(path, nothing, z.unknown()),
  received: post(path, nothing, z.object({ paymentId: z.string(), received: z.boolean() })),
};
