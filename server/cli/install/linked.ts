// `treasury mcp install HOST` on a linked machine: an entry without a key, which the bridge reads from agent.json.
import { thisProgram } from '../../lib/this-program.ts';
import { dataOption } from '../../config.ts';
import { confirm, Ending } from '../ending.ts';
import { show, type Terminal } from '../terminal.ts';
import { readText, writeText } from '../payments/write-file.ts';
import { describeChange } from './asking.ts';
import { masked } from './entry.ts';
import { serverName } from './format.ts';
import type { McpHost } from './hosts.ts';

interface Options {
  dryRun: boolean;
  yes: boolean;
}

/** @throws Ending when the file cannot be read or written, or the person at the terminal says no */
export const installLinked = async (
  terminal: Terminal,
  host: McpHost,
  agentId: string,
  { dryRun, yes }: Options,
): Promise<void> => {
  const { dataDir, io } = terminal;
  const file = host.file(io);
  const before = readText(file);
  const words = [...dataOption(dataDir), 'mcp'];
  const entry = host.entry(serverName, { ...thisProgram(words), env: {} });
  const edit = host.format.edit(before, serverName, entry);
  const after = host.format.whole(serverName, entry);
  if ('refused' in edit)
    throw new Ending(
      'failed',
      `${file} is left as it is: ${edit.refused}. Paste this there by hand:\n${after}`,
    );
  const result = { host: host.id, file, agentId };
  if (edit.text === before)
    return show(terminal, { ...result, installed: true, changed: false }, () => [
      `${host.name} starts the bridge of this machine’s agent already: ${file}`,
    ]);
  describeChange(terminal, {
    heading: `${host.name}: ${file}`,
    before: edit.before === null ? null : masked(edit.before),
    after,
  });
  if (dryRun)
    return show(terminal, { ...result, dryRun: true, installed: false }, () => ['Nothing was written.']);
  await confirm(terminal, `Write it to ${file}?`, yes);
  const backup = writeText(file, before, edit.text);
  show(terminal, { ...result, installed: true, changed: true, backup }, () => [
    `Written to ${file}.${backup === null ? '' : ` What was there: ${backup}`}`,
    `Restart ${host.name} to use it as ${agentId}.`,
  ]);
};
