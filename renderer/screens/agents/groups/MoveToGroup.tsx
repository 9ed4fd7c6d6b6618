// Moves agents to another group, or to none, after showing what is used of both groups' limits.
import { Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../../api/owner.ts';
import { useAgentNames } from '../../../shared/agent-names.ts';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { listed } from '../../../../server/contract/listed.ts';
import { counted } from '../../../shared/format.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { FormEnd } from '../../../shared/ui/Form.tsx';
import type { DialogProps } from '../../../shared/ui/form-dialog.tsx';
import { reread } from '../../../stores/queries.ts';
import type { AgentSummary } from '../../../stores/treasury.ts';
import { eachOf, failuresOf } from '../bulk.ts';
import { Gauges, isLimited } from '../limits/LimitGauges.tsx';
import { groupOf, useGroups, type AgentGroup } from './use-groups.ts';

interface MoveProps {
  agents: readonly AgentSummary[];
  /** The group that is proposed; by default the one that the owner chooses. */
  to?: string;
}

export const MoveToGroup = ({ agents, to, opened, onClose }: MoveProps & DialogProps) => {
  const [one] = agents;
  const nameOf = useAgentNames(agents.map(({ agentId }) => agentId));
  const what =
    agents.length === 1 && one !== undefined ? nameOf(one.agentId) : counted(agents.length, 'agent');
  return (
    <Modal opened={opened} onClose={onClose} title={`Move ${what}`}>
      {opened && <MoveForm agents={agents} {...(to === undefined ? {} : { to })} onDone={onClose} />}
    </Modal>
  );
};

/** Stands for no group, in the list of groups. */
const noGroup = 'none';

const choicesOf = (groups: readonly AgentGroup[], left: readonly (AgentGroup | undefined)[]) => [
  ...groups.map((group) => ({
    value: group.groupId,
    label: group.stoppedAt === null ? group.name : `${group.name} (stopped: resume it first)`,
    disabled: group.stoppedAt !== null || (left.length === 1 && left[0] === group),
  })),
  { value: noGroup, label: 'No group', disabled: left.length === 1 && left[0] === undefined },
];

const MoveForm = ({ agents, to, onDone }: MoveProps & { onDone: () => void }) => {
  const groups = useGroups();
  const nameOf = useAgentNames(agents.map(({ agentId }) => agentId));
  const [chosen, setChosen] = useState<string | null>(to ?? null);
  /** Each once. */
  const left = [...new Set(agents.map(({ agentId }) => groupOf(groups, agentId)))];
  const target = groups.find(({ groupId }) => groupId === chosen);
  const move = useCommand(async (groupId: string | null) => {
    const failures = await eachOf(agents, ({ agentId }) =>
      ask('setAgentGroup', { params: { agentId }, body: { groupId } }),
    );
    await reread('listGroups');
    if (failures.length > 0) throw failuresOf(failures, nameOf, 'stays where it was');
    const moved =
      agents.length > 3 ? counted(agents.length, 'agent') : listed(agents.map((one) => nameOf(one.agentId)));
    const where = target === undefined ? 'in no group' : `in the group ${target.name}`;
    notifyDone(`${moved} ${agents.length === 1 ? 'is' : 'are'} ${where} now.`);
    onDone();
  });
  const from = left.filter((group) => group !== undefined);
  return (
    <Stack gap="md">
      <Select
        label="To the group"
        placeholder={groups.length === 0 ? 'There are no groups yet' : 'Choose a group'}
        data={choicesOf(groups, left)}
        value={chosen}
        onChange={setChosen}
        allowDeselect={false}
        searchable={groups.length > 8}
        data-autofocus
      />
      {from.map((group) => (
        <GroupNow key={group.groupId} group={group} way="From" />
      ))}
      {target !== undefined && <GroupNow group={target} way="To" />}
      <Consequence from={from} target={target} isChosen={chosen !== null} agents={agents} />
      <FormEnd
        of={move}
        onCancel={onDone}
        disabled={chosen === null}
        title={chosen === null ? 'Choose a group first' : undefined}
        onClick={() => void move.run(chosen === noGroup ? null : chosen)}
      >
        Move
      </FormEnd>
    </Stack>
  );
};

const GroupNow = ({ group, way }: { group: AgentGroup; way: 'From' | 'To' }) => {
  const { name, used, spentToday } = group;
  return (
    <Stack gap="xs">
      <Text className="break-anywhere">
        {way}{' '}
        <Text span inherit fw={600}>
          {name}
        </Text>
        , whose agents spent <Amount value={spentToday} /> in 24 hours
        {!isLimited(used) && '; it sets no limit on amounts or numbers'}
      </Text>
      <Gauges used={used} of={`the group ${name}`} />
    </Stack>
  );
};

interface ConsequenceProps {
  from: readonly AgentGroup[];
  target: AgentGroup | undefined;
  isChosen: boolean;
  agents: readonly AgentSummary[];
}

const Consequence = ({ from, target, isChosen, agents }: ConsequenceProps) => {
  if (!isChosen) return null;
  const isOne = agents.length === 1;
  const it = isOne ? 'it' : 'they';
  const isPaused = agents.some(({ status }) => status === 'suspended');
  return (
    <Text c="dimmed" className="break-anywhere">
      {from.length > 0 &&
        `The amount that ${it} spent so far stays in ${listed(from.map(({ name }) => name))}. `}
      {target === undefined
        ? `No group limits ${isOne ? 'it' : 'them'} then.`
        : `In ${target.name} ${it} ${isOne ? 'starts' : 'start'} at 0. A payment that waits for you is judged by the limits of ${target.name}.`}
      {isPaused && ' An agent that is paused stays paused.'}
    </Text>
  );
};
