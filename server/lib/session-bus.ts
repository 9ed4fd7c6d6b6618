// On Linux the keychain answers on the bus of the desktop's session, which a login by ssh may not reach.
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether this session has a bus on which a keychain may answer; always true where no bus is needed. */
export const reachesKeychain = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean => {
  const runtime = env['XDG_RUNTIME_DIR'];
  return (
    platform !== 'linux' ||
    env['DBUS_SESSION_BUS_ADDRESS'] !== undefined ||
    (runtime !== undefined && statSync(join(runtime, 'bus'), { throwIfNoEntry: false }) !== undefined)
  );
};

export const startInSession = 'Start the treasury in a desktop session, or with dbus-run-session.';
