// A machine's request to be linked to an agent. By the code, owners recognize the terminal in front of them.
import { Group, Text } from '@mantine/core';
import { IconKey, IconLink } from '@tabler/icons-react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { useChange } from '../../shared/hooks/use-command.ts';
import { outdate } from '../../stores/queries.ts';
import { AgentToLinkFields } from '../link/AgentToLinkFields.tsx';
import { firstValues, useLinking } from '../link/use-linking.ts';
import { ArmedButton } from './ArmedButton.tsx';
import { AskerHead } from './AskerHead.tsx';
import { DenyButton } from './DenyButton.tsx';
import { ViaPublicAddress } from './ViaPublicAddress.tsx';
import { RequestFrame, titleOf } from './RequestFrame.tsx';
import { useArmed } from './use-armed.ts';
import { wrapping } from '../../shared/wrapping.ts';
import { Form } from '../../shared/ui/Form.tsx';

export type LinkRequest = Reply<'listLinks'>['links'][number];

interface LinkCardProps {
  link: LinkRequest;
  arrangement: string;
  onDecided: (outcome: 'granted' | 'denied') => void;
}

export const LinkCard = ({ link, arrangement, onDecided }: LinkCardProps) => {
  const { linkId, machine, code, agentId, viaPublicAddress, createdAt, expiresAt } = link;
  const nameOf = useAgentNames([]);
  const deny = useChange(['listLinks'], async () => {
    await ask('denyLink', { params: { linkId } });
    onDecided('denied');
  });
  const linking = useLinking(firstValues(machine, agentId), async (body) => {
    await ask('grantLink', { params: { linkId }, body });
    onDecided('granted');
    outdate(['listLinks']);
    notifyDone(
      body.furtherKey === true
        ? `“${machine}” has a key for ${nameOf(body.agentId)}.`
        : `“${machine}” is linked as ${nameOf(body.agentId)}, which has no funds yet.`,
    );
  });
  const { taken } = linking;
  const isBusy = deny.isBusy || linking.isBusy;
  const isArmed = useArmed(`${linkId} ${code} ${arrangement} ${taken ?? ''}`);
  return (
    <RequestFrame requestId={linkId}>
      {/* Enter in a field must not link. */}
      <Form>
        <AskerHead
          id={titleOf(linkId)}
          what="The machine"
          name={machine}
          asks="asks to be linked"
          {...{ code, createdAt, expiresAt }}
        />
        {viaPublicAddress && <ViaPublicAddress />}
        <Text>
          Allow this only if your own terminal shows this code. That computer will get this agent’s key and
          can spend within these limits once you add funds.
        </Text>
        <AgentToLinkFields linking={linking} />
        <ErrorNote error={deny.error ?? linking.error} notDone="The machine was not linked." />
        <Group gap="xs">
          <DenyButton isArmed={isArmed && !isBusy} isBusy={deny.isBusy} onDeny={() => void deny.run()} />
          <ArmedButton
            {...wrapping}
            mih={36}
            variant="filled"
            at="a"
            isArmed={isArmed && !isBusy}
            loading={linking.isBusy}
            icon={taken === null ? <IconLink size={16} aria-hidden /> : <IconKey size={16} aria-hidden />}
            onClick={taken === null ? linking.link : linking.giveFurtherKey}
          >
            {taken === null ? 'Link' : `Give it another key for ${taken}`}
          </ArmedButton>
        </Group>
      </Form>
    </RequestFrame>
  );
};
