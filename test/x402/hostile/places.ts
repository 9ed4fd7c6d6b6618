// Forbidden places: redirects before any payment, and addresses in an agent's request.
import { honest, redirect } from './answers.ts';
import { badUrl, unfollowed, type Case, type Scene } from './case.ts';

export const places: readonly Case[] = [
  { name: 'redirect-to-accomplice', first: redirect(({ other, name }) => `${other}/${name}`), ...unfollowed },
  {
    name: 'redirect-to-metadata',
    first: redirect(() => 'http://169.254.169.254/latest/meta-data/'),
    ...unfollowed,
  },
  {
    name: 'redirect-to-treasury',
    first: redirect(({ treasuryUrl }) => `${treasuryUrl}/v1/health`),
    ...unfollowed,
  },
  {
    name: 'redirect-to-forbidden',
    first: redirect(({ forbidden }) => `http://127.0.0.1:${forbidden}/`),
    ...unfollowed,
  },
  ...(
    [
      ['localhost', ({ forbidden }) => `http://localhost:${forbidden}/`],
      ['localhost-https', ({ forbidden }) => `https://localhost:${forbidden}/`],
      ['loopback-other-port', ({ forbidden }) => `http://127.0.0.1:${forbidden}/`],
      ['loopback-https', ({ forbidden }) => `https://127.0.0.1:${forbidden}/`],
      ['loopback-ipv6', ({ forbidden }) => `http://[::1]:${forbidden}/`],
      ['loopback-ipv6-https', ({ forbidden }) => `https://[::1]:${forbidden}/`],
      ['mapped-ipv6', ({ forbidden }) => `https://[::ffff:127.0.0.1]:${forbidden}/`],
      ['nat64', ({ forbidden }) => `https://[64:ff9b::7f00:1]:${forbidden}/`],
      ['decimal', ({ forbidden }) => `https://2130706433:${forbidden}/`],
      ['hexadecimal', ({ forbidden }) => `https://0x7f000001:${forbidden}/`],
      ['octal', ({ forbidden }) => `https://0177.0.0.1:${forbidden}/`],
      ['short', ({ forbidden }) => `https://127.1:${forbidden}/`],
      ['trailing-dot', ({ forbidden }) => `https://localhost.:${forbidden}/`],
      ['unspecified', ({ forbidden }) => `https://0.0.0.0:${forbidden}/`],
      ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
      ['metadata-https', () => 'https://169.254.169.254/latest/meta-data/'],
      ['private-10', () => 'https://10.0.0.1/'],
      ['private-192', () => 'https://192.168.0.1/'],
      ['credentials', ({ url, name }) => url.replace('//', '//user:secret@').concat(`/${name}`)],
      ['treasury-api', ({ treasuryUrl }) => `${treasuryUrl}/v1/health`],
      ['treasury-api-dots', ({ treasuryUrl }) => `${treasuryUrl}/sandbox/../v1/health`],
      ['file', () => 'file:///etc/passwd'],
      ['no-url', () => 'weather'],
    ] as readonly (readonly [string, (scene: Scene) => string])[]
  ).map(([name, place]): Case => ({
    name: `place-${name}`,
    first: honest,
    request: (scene) => ({ url: place(scene) }),
    ...badUrl,
  })),
];
