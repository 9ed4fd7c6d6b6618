// The code that holds signing keys has no access to the network: neither its own files nor any library that they load.
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { expect, it } from 'vitest';

const network =
  /^(node:)?(net|tls|http|https|http2|dgram|dns|dns\/promises|child_process|cluster|inspector)$|undici|\/ws\/|web3\.js|axios|node-fetch/;

const recorder = `
  import { registerHooks } from 'node:module';
  const seen = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      seen.add(resolved.url);
      return resolved;
    },
  });
  await import(process.argv[1]);
  console.log(JSON.stringify([...seen]));
`;

const loadedBy = (file: string): string[] => {
  const url = new URL(`../../${file}`, import.meta.url).href;
  const args = ['--input-type=module', '--eval', recorder, url];
  return JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  );
};

it.each(['server/vault/signer.ts', 'server/vault/vault.ts'])(
  '%s loads nothing that reaches the network',
  (file) => {
    const loaded = loadedBy(file);
    expect(loaded.some((url) => url.endsWith(file))).toBe(true);
    expect(loaded).toContain('node:crypto');
    expect(loaded.filter((url) => network.test(url))).toEqual([]);
  },
);

it('the check notices a library that does', () => {
  expect(loadedBy('test/vault/transfers.ts').filter((url) => network.test(url)).length).toBeGreaterThan(0);
});
