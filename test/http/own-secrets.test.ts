// The look for our secrets is short, whatever an agent sends: while they are looked up, no stop is obeyed.
import { expect, it } from 'vitest';
import { createRefuseSecrets } from '../../server/http/own-secrets.ts';

const secret = `atk_${'s'.repeat(43)}`;
const looked: string[] = [];
const refuse = createRefuseSecrets({
  isLive: (token) => {
    looked.push(token);
    return token === secret;
  },
  leaking() {},
});
const send = (headers: Record<string, string>): void => {
  looked.length = 0;
  refuse({ role: 'agent', agentId: 'a', keyId: 'k', keyLevel: 0 }, 'a', {
    headers,
    url: 'https://api.example.com/',
  });
};

it('looks up each word in the form of a secret once', () => {
  expect(() => send({ a: 'x'.repeat(100), b: `Bearer abc_${secret}`, c: secret })).toThrow('holds a secret');
  send({ a: `abc_${'x'.repeat(43)}`, b: `abc_${'x'.repeat(43)}` });
  expect(looked).toHaveLength(1);
});

it('refuses a request with more such words than it looks up, and looks none up', () => {
  const words = Array.from({ length: 4_000 }, (_, at) => `a${String.fromCharCode(97 + (at % 26))}z_${at}`);
  expect(() => send({ a: words.join('aaa_') })).toThrow(/^headers: must, with the address, hold at most 256/);
  expect(looked).toEqual([]);
});
