// The packed application and its fuses, on a fabricated Electron: a file that holds the fuses' sentinel and wire.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractFile, listPackage } from '@electron/asar';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuses, setFuses } from '../../build/after-pack.ts';
import { ensureBuilt, rendererFolder } from '../../build/build.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { isLab } from '../harness/kinds.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** As Electron ships: each fuse in the order of its index. */
const shipped = '101100011';

const fabricate = (file: string, wire: string): void =>
  writeFileSync(
    file,
    Buffer.concat([
      Buffer.alloc(100_000, 1),
      Buffer.from(sentinel),
      Buffer.from([1, wire.length]),
      Buffer.from(wire),
      Buffer.alloc(100_000, 2),
    ]),
    { mode: 0o755 },
  );

/** `Name: on` for each of them, as the file says. */
const readFuses = async (file: string): Promise<string[]> => {
  const wire = await getCurrentFuseWire(file);
  return Object.entries(wire)
    .filter(([fuse]) => /^\d+$/.test(fuse))
    .map(([fuse, state]) => `${FuseV1Options[Number(fuse)]}: ${state === FuseState.ENABLE ? 'on' : 'off'}`);
};

const decided = [
  'RunAsNode: off',
  'EnableCookieEncryption: on',
  'EnableNodeOptionsEnvironmentVariable: off',
  'EnableNodeCliInspectArguments: off',
  'EnableEmbeddedAsarIntegrityValidation: on',
  'OnlyLoadAppFromAsar: on',
  'LoadBrowserProcessSpecificV8Snapshot: off',
  'GrantFileProtocolExtraPrivileges: off',
  'WasmTrapHandlers: on',
];

describe('the fuses', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'electron');
  afterAll(() => removeFolder(folder));

  it('are all nine set as decided, and read back', async () => {
    fabricate(file, shipped);
    expect(await readFuses(file)).not.toEqual(decided);
    await setFuses(file);
    expect(await readFuses(file)).toEqual(decided);
    expect(Object.keys(fuses)).toHaveLength(9);
  });

  it('stop the build when Electron has one more, or one that can no longer be set', async () => {
    fabricate(file, `${shipped}0`);
    await expect(setFuses(file)).rejects.toThrow();
    fabricate(file, `r${shipped.slice(1)}`);
    await expect(setFuses(file)).rejects.toThrow();
  });
});

/** It packs for ten seconds, and what it packs is shipped by a release alone. */
const inLab = isLab ? describe : () => {};
inLab('a packed application', () => {
  const folder = temporaryFolder();
  const electron = join(folder, 'electron');
  const packed = join(folder, 'release', 'linux-unpacked');
  const archive = join(packed, 'resources', 'app.asar');
  let files: string[] = [];

  beforeAll(async () => {
    await ensureBuilt('desktop');
    if (!existsSync(join(rendererFolder, 'index.html'))) await ensureBuilt('dashboard');
    mkdirSync(join(electron, 'resources'), { recursive: true });
    mkdirSync(join(electron, 'locales'));
    fabricate(join(electron, 'electron'), shipped);
    for (const name of ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'version'])
      writeFileSync(join(electron, name), '');
    const cli = join(root, 'node_modules', 'electron-builder', 'cli.js');
    const child = spawn(
      process.execPath,
      [cli, '--linux', 'dir', '--x64', '--config', 'build/electron-builder.ts'].concat([
        `-c.electronDist=${electron}`,
        `-c.directories.output=${join(folder, 'release')}`,
      ]),
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(said.slice(-4_000));
    files = listPackage(archive, { isPack: false }).map((file) => file.replaceAll('\\', '/'));
  });
  afterAll(() => removeFolder(folder));

  it('brings the executables, and none of the files that they were made from', () => {
    const bin = join(packed, 'resources', 'bin');
    const made = existsSync(bin) ? readdirSync(bin) : [];
    expect(made.filter((name) => !/^treasury(-mcp)?(\.exe)?$/.test(name))).toEqual([]);
  });

  it('holds the files that the desktop needs', () => {
    const needed = ['main.js', 'preload.cjs'].map((name) => `/build/out/desktop/${name}`);
    expect(files).toEqual(
      expect.arrayContaining([
        ...needed,
        '/build/out/renderer/index.html',
        '/build/icons/tray-running.png',
        '/build/icons/icon.png',
        '/package.json',
      ]),
    );
    const { main, type } = JSON.parse(extractFile(archive, 'package.json').toString('utf8'));
    expect([main, type]).toEqual(['build/out/desktop/main.js', 'module']);
  });

  it('holds every package that the bundle imports', () => {
    const bundle = extractFile(archive, 'build/out/desktop/main.js').toString('utf8');
    const imported = [...bundle.matchAll(/^import\s[^'"\n]*?["']([^"'\n]+)["'];?$/gm)].map(
      ([, name = '']) => name,
    );
    const packages = imported.filter((name) => !name.startsWith('node:') && name !== 'electron');
    const names = new Set(
      packages.map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    );
    expect(names.size).toBeGreaterThan(8);
    const missing = [...names].filter((name) => !files.includes(`/node_modules/${name}/package.json`));
    expect(missing).toEqual([]);
  });

  it('holds no source, no test, no tool, and no second Node', () => {
    const tools = Object.keys(packageJson.devDependencies).filter((name) => name !== '@solana/kit');
    const strangers = [...tools, 'node'].filter((name) => files.includes(`/node_modules/${name}`));
    // Peers and dependencies of the packed packages bring these along.
    expect(
      strangers.filter(
        (name) =>
          ![
            '@solana/wallet-standard-features',
            '@wallet-standard/base',
            '@types/node',
            '@types/ws',
            'commander',
          ].includes(name),
      ),
    ).toEqual([]);
    expect(
      files.filter((file) => /^\/(server|electron|renderer|test|\.ci)\b|\.tsx$|\.map$/.test(file)),
    ).toEqual([]);
  });

  it('keeps native code beside the archive, where it can be loaded', () => {
    const native = files.filter((file) => file.endsWith('.node'));
    expect(native.length).toBeGreaterThan(2);
    expect(native.filter((file) => !existsSync(join(`${archive}.unpacked`, file)))).toEqual([]);
  });

  it('has all nine fuses set, and no feed to update from', async () => {
    expect(await readFuses(join(packed, 'agent-treasury'))).toEqual(decided);
    expect(existsSync(join(packed, 'resources', 'app-update.yml'))).toBe(false);
  });
});

const bytes = (name: string): Buffer => readFileSync(join(root, 'build', 'icons', name));

describe('the pictures', () => {
  it('are there for every state of the tray, on every system, and differ', () => {
    const states = ['running', 'attention', 'frozen', 'halted'];
    for (const kind of ['.png', '@2x.png', '.ico', 'Template.png', 'Template@2x.png'])
      expect(new Set(states.map((state) => bytes(`tray-${state}${kind}`).toString('base64'))).size).toBe(4);
  });

  it('are in containers whose tables are right', () => {
    const ico = bytes('icon.ico');
    expect([ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([1, 7]);
    for (let place = 0; place < 7; place += 1) {
      const at = ico.readUInt32LE(6 + 16 * place + 12);
      expect(ico.subarray(at + 1, at + 4).toString('latin1')).toBe('PNG');
    }
    const icns = bytes('icon.icns');
    expect([icns.toString('latin1', 0, 4), icns.readUInt32BE(4)]).toEqual(['icns', icns.length]);
    for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4))
      expect(icns.subarray(at + 9, at + 12).toString('latin1')).toBe('PNG');
  });
});
