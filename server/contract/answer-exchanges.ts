// Requests and replies of the routes that read a seller's stored answer.
import { z } from 'zod';
import { get, nothing, post } from './exchange.ts';

const path = z.object({ agentId: z.string(), paymentId: z.string() });

export const answerExchanges = {
  answer: get(path, nothing, z.unknown()),
  received: post(path, nothing, z.object({ paymentId: z.string(), received: z.boolean() })),
};
