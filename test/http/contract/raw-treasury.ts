// Raw requests to the treasury of a file.
import { readFileSync } from 'node:fs';
import { beforeAll } from 'vitest';
import { treasury, useTreasury as useApiTreasury } from '../api-treasury.ts';
import { requestText, sendRaw, type RawAnswer, type RawRequest } from './raw.ts';

export let port: number;
let token: string;
export const useTreasury = (): void => {
  useApiTreasury();
  beforeAll(() => {
    port = Number(new URL(treasury.host.url).port);
    token = readFileSync(treasury.host.cookieFile ?? '', 'utf8');
  });
};

/** As the owner, so that only the guard can refuse it. */
export const ask = (request: Partial<RawRequest>): Promise<RawAnswer> => {
  const { headers = [`Host: 127.0.0.1:${port}`], target = '/v1/dashboard', ...rest } = request;
  const all = [...headers, `Authorization: Bearer ${token}`, 'Connection: close'];
  const selected = target.includes('?') ? target : `${target}?owner=${treasury.owner}`;
  return sendRaw(port, Buffer.from(requestText({ ...rest, target: selected, headers: all }), 'latin1'));
};
