// Picks our own arguments from the command line, to which Electron, Chromium and test drivers add switches of theirs.
import { parseArgs } from 'node:util';

const passedOn = ['data', 'port', 'slot-ms', 'confirm-ms', 'finalize-ms', 'log-level'] as const;
/** For a start that only restores a backup; otherwise the settings name the network. */
const ofRestore = ['restore', 'network'] as const;

export interface DesktopArguments {
  /** For `readConfig`; the settings add the rest. */
  config: string[];
  /** The port given for this start, which overrides the settings. */
  port: number | null;
  /** Started at login: the window stays closed where there is a tray. */
  hidden: boolean;
}

export const readArguments = (argv: readonly string[]): DesktopArguments => {
  const known = [...passedOn, ...ofRestore];
  const options = Object.fromEntries(known.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({
    args: [...argv],
    options: { ...options, hidden: { type: 'boolean' } },
    allowPositionals: true,
    strict: false,
  });
  const given = (typeof values['restore'] === 'string' ? known : passedOn).flatMap((name) => {
    const value = values[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const port = given.find(([name]) => name === 'port')?.[1];
  return {
    config: given.filter(([name]) => name !== 'port').flatMap(([name, value]) => [`--${name}`, value]),
    port: port !== undefined && /^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? Number(port) : null,
    hidden: values['hidden'] === true,
  };
};
