// A status compared with the body's text as the message, so that a failure says why.
import { expect } from 'vitest';
import type { Answer } from './http-client.ts';

export const expectStatus = ({ status, text }: Answer, expected: number): void => {
  expect(status, text).toBe(expected);
};
