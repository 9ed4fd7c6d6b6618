// `treasury mcp install HOST --proxy NAME --undo`: puts an entry back as it was before the proxy, and revokes its API key.
import { confirm, Ending } from '../ending.ts';
import { inert } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';
import { readText, writeText } from '../payments/write-file.ts';
import { describeChange, ownerOf } from './asking.ts';
import { revokeReplaced } from './entry.ts';
import { memberOf, membersOf } from './format.ts';
import type { McpHost } from './hosts.ts';
import { shownEntry } from './masked.ts';
import { entryNamed, headingOf, proxiedIn } from './proxied.ts';

interface UndoOptions {
  proxy?: string;
  dryRun: boolean;
  yes: boolean;
}

/** @throws Ending when there is nothing to undo, or the file cannot be changed safely */
export const undo = async (
  terminal: Terminal,
  host: McpHost,
  { proxy: name, dryRun, yes }: UndoOptions,
): Promise<void> => {
  if (name === undefined) throw new Ending('usage', 'Name the entry that is to be put back: --proxy NAME.');
  const owner = await ownerOf(terminal);
  const file = host.file(terminal.io);
  const before = readText(file);
  const found = entryNamed(host, file, before, name);
  const proxied = proxiedIn(host, found);
  if (proxied === null)
    throw new Ending('failed', `${inert(name)} does not go through the proxy by this command: ${file}`);
  const edit = host.format.restore(before, name, proxied.entry);
  if ('refused' in edit) throw new Ending('failed', `${file} is left as it is: ${edit.refused}.`);
  const { isEdited } = proxied;
  const result = { host: host.id, file, proxy: name, edited: isEdited };
  const former = membersOf(memberOf(host.format.entries(edit.text), name));
  if (!dryRun && terminal.io.ask === null) await confirm(terminal, '', yes);
  if (!dryRun || !terminal.json)
    describeChange(terminal, {
      heading: headingOf(host, file, proxied),
      before: shownEntry(host, name, found),
      after: shownEntry(host, name, former),
    });
  if (dryRun)
    return show(terminal, { ...result, dryRun: true }, () => [
      'Nothing was written, and no API key was revoked.',
    ]);
  await confirm(terminal, `Put it back in ${file}, and revoke its API key?`, yes);
  const backup = writeText(file, before, edit.text);
  const revoked = await revokeReplaced(owner, proxied);
  show(terminal, { ...result, backup, revoked, undone: true }, () => [
    `Put back in ${file}. What was there: ${backup ?? ''}`,
    revoked
      ? 'Its API key is revoked.'
      : `Its API key was not revoked: this treasury has no API key ${inert(proxied.keyId)} of ${inert(proxied.agentId)}.`,
    `Restart ${host.name} to use it.`,
  ]);
};
