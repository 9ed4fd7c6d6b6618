// Which of the command line is ours: Electron, Chromium and those who test them put their own switches beside it.
import { parseArgs } from 'node:util';

const passedOn = ['data', 'port', 'slot-ms', 'confirm-ms', 'finalize-ms', 'log-level'] as const;
/** Of a start that only puts a backup back: elsewhere the settings name the network. */
const ofRestore = ['restore', 'network'] as const;

export interface DesktopArguments {
  /** For `readConfig`: all but what the settings say. */
  config: string[];
  /** A port that was asked for on this start; it goes before the settings'. */
  port: number | null;
  /** Started with the session: the window stays closed where there is a tray. */
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
