// Examples of requests and replies about the public address.
import type { RouteName } from '../contract/routes.ts';

const publicAddress = {
  url: 'https://treasury.example.ts.net',
  ownerSessions: false,
  givenAtStart: false,
  mayChange: true,
};

export const publicExamples = {
  getPublicAddress: { reply: publicAddress },
  setPublicAddress: { request: { url: publicAddress.url }, reply: publicAddress },
  checkPublicAddress: { reply: { url: publicAddress.url, problem: null } },
} as const satisfies Partial<Record<RouteName, object>>;
