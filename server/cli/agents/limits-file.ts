// `treasury limits --out`: every limit that the owner has set, in one JSON document.
import { resolve } from 'node:path';
import { writeNew } from '../payments/new-file.ts';
import { asOwner, type Session } from '../session.ts';
import { show, type Terminal } from '../terminal.ts';

export const writeLimits = async (terminal: Terminal, out: string): Promise<void> => {
  const owner = asOwner(terminal);
  const limits = await allLimits(owner);
  const file = resolve(out);
  await writeNew(file, 'The limits', [`${JSON.stringify(limits, null, 2)}\n`]);
  show(terminal, { file }, () => [`Written to ${file}.`]);
};

const allLimits = async ({ ask }: Pick<Session, 'ask'>) => {
  const { limits: treasury } = await ask('getTreasuryLimits');
  const { timeZone } = await ask('getTimeZone');
  const { groups } = await ask('listGroups');
  const agents = [];
  for (const { agentId, displayName, archived } of (await ask('listAgents')).agents) {
    if (archived) continue;
    const params = { agentId };
    const { policy } = await ask('getPolicy', { params });
    const { keys } = await ask('listDelegatedKeys', { params });
    const delegatedKeys = keys
      .filter(({ endedAt }) => endedAt === null)
      .map(({ keyId, label, parentId, expiresAt, limits }) => ({
        keyId,
        label,
        parentId,
        expiresAt,
        limits,
      }));
    agents.push({ agentId, displayName, policy, delegatedKeys });
  }
  return {
    writtenAt: new Date().toISOString(),
    timeZone,
    treasury,
    groups: groups.map(({ groupId, name, agents: members, limits }) => ({
      groupId,
      name,
      agents: members,
      limits,
    })),
    agents,
  };
};
