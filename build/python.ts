// Packs the client for Python as a wheel. The words and rules that it has in common with the treasury are written beside
// its sources, from the product's own.
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { errorCodes } from '../server/errors.ts';
import { clientTexts, nothingSpent } from '../server/client/package/treasury-error.ts';
import { fingerprintText, proofText } from '../server/contract/host/proof-text.ts';
import { deliveries, headersCompared, repeatedWithinMs } from '../server/contract/payments/wishes.ts';
import { packedFolder, packWhenStarted } from './npm-package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const shared = {
  ...clientTexts,
  codes: errorCodes,
  nothingSpent,
  headersCompared: headersCompared.source,
  deliveries,
  repeatedWithinSeconds: repeatedWithinMs / 1_000,
  fingerprint: fingerprintText('{hash}'),
  proof: proofText({ nonce: '{nonce}', url: '{url}' }),
};

/** Replaces the folder and returns the path of the wheel in it. @throws what the build says */
export const packPython = async (
  folder = packedFolder('python'),
  python = process.env['PYTHON'] ?? 'python3',
): Promise<string> => {
  rmSync(folder, { recursive: true, force: true });
  const sources = join(folder, 'sources');
  mkdirSync(sources, { recursive: true });
  cpSync(join(root, 'build/python'), sources, {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__'),
  });
  writeFileSync(join(sources, 'agent_treasury/shared.json'), `${JSON.stringify(shared, null, 2)}\n`);
  writeFileSync(join(sources, 'agent_treasury/_version.py'), `__version__ = "${packageJson.version}"\n`);
  copyFileSync(join(root, 'build/docs/clients.md'), join(sources, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(sources, 'LICENSE'));
  // Not from the folder of this repository: its `build` is not Python's.
  const args = ['-m', 'build', '--no-isolation', '--wheel', '--outdir', folder, sources];
  checkModules(python);
  await promisify(execFile)(python, args, { cwd: folder });
  rmSync(sources, { recursive: true });
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '');
};

/** What builds a wheel without the registry. A younger setuptools does without the module wheel. */
const needed =
  'import build, setuptools; v = int(setuptools.__version__.split(".")[0]); assert v >= 66; v > 70 or __import__("wheel")';

/** Ends the process with a sentence where this Python lacks what it needs. */
const checkModules = (python: string): void => {
  const { status, error } = spawnSync(python, ['-c', needed], { cwd: tmpdir(), stdio: 'ignore' });
  if (status === 0) return;
  process.stderr.write(
    error === undefined
      ? `The wheel needs three modules of Python. Run: ${python} -m pip install build "setuptools>=66" wheel\n`
      : `${python} cannot be started. Install Python 3.11 or newer, or name it: PYTHON=/path/to/python3 npm run python\n`,
  );
  process.exit(1);
};

await packWhenStarted(import.meta.url, packPython);
