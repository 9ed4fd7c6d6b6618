// Sets all nine fuses of the packed Electron just before it is signed. electron-builder's own option knows only eight.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { flipFuses, FuseState, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses';
import type { AfterPackContext } from 'electron-builder';

export const fuses = {
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  [FuseV1Options.WasmTrapHandlers]: true,
} as const satisfies Record<FuseV1Options, boolean>;

type Wire = Awaited<ReturnType<typeof getCurrentFuseWire>>;

const namesOf = (wire: Wire, isWrong: (state: FuseState | undefined, on: boolean) => boolean): string =>
  Object.entries(fuses)
    .filter(([fuse, on]) => isWrong(wire[Number(fuse) as FuseV1Options], on))
    .map(([fuse]) => FuseV1Options[Number(fuse)])
    .join(', ');

/** Sets the fuses and reads them back. @throws when one cannot be set as decided, or when Electron has one more */
export const setFuses = async (executable: string, isUnsignedMac = false): Promise<void> => {
  // Setting a fuse that Electron has removed would appear to work.
  const removed = namesOf(await getCurrentFuseWire(executable), (state) => state === FuseState.REMOVED);
  if (removed !== '') throw new Error(`Electron no longer has these fuses: ${removed}`);
  await flipFuses(executable, {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: isUnsignedMac,
    ...fuses,
  });
  const wrong = namesOf(
    await getCurrentFuseWire(executable),
    (state, on) => state !== (on ? FuseState.ENABLE : FuseState.DISABLE),
  );
  if (wrong !== '') throw new Error(`These fuses are not as decided: ${wrong}`);
};

const executableOf = ({ appOutDir, electronPlatformName, packager }: AfterPackContext): string => {
  const { productFilename } = packager.appInfo;
  if (electronPlatformName === 'darwin') return join(appOutDir, `${productFilename}.app`);
  if (electronPlatformName === 'win32') return join(appOutDir, `${productFilename}.exe`);
  const named = packager.config.linux?.executableName ?? productFilename;
  return join(appOutDir, named);
};

export default async (context: AfterPackContext): Promise<void> => {
  const executable = executableOf(context);
  if (!existsSync(executable)) throw new Error(`There is no Electron at ${executable}.`);
  await setFuses(executable, context.electronPlatformName === 'darwin');
};
