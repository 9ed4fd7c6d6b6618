// The step after the sign-in: the choice of the machine's agent, and the button that links it.
import { Button, Group, Text, Title } from '@mantine/core';
import { askLink } from '../../api/link.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { AppError } from '../../../server/errors.ts';
import { SessionOver } from '../../api/proof.ts';
import { AgentToLinkFields } from './AgentToLinkFields.tsx';
import type { LinkedAgent } from './Linked.tsx';
import { firstValues, useLinking } from './use-linking.ts';
import type { Link } from './use-link.ts';
import { checkHost, part, type Who } from './who.ts';
import { wrapping } from '../../shared/wrapping.ts';
import { Form } from '../../shared/ui/Form.tsx';

interface LinkFormProps {
  token: string;
  link: Link;
  who: Who;
  onLinked: (agent: LinkedAgent) => void;
  /** The sign-in is no longer valid. */
  onEnd: (why: Error) => void;
}

export const LinkForm = ({ token, link, who, onLinked, onEnd }: LinkFormProps) => {
  const first = firstValues(link.machine ?? '', link.wantedAgentId ?? null);
  const linking = useLinking(first, async (body) => {
    try {
      await checkHost(who);
      const { agentId } = await askLink('completeLink', token, { body, bearer: who.bearer });
      await part(who);
      onLinked({ agentId, isNew: body.furtherKey !== true });
    } catch (error) {
      const isOver = error instanceof AppError && error.code === 'unauthorized';
      if (!isOver && !(error instanceof SessionOver)) throw error;
      onEnd(error);
    }
  });
  const { taken, isBusy } = linking;
  return (
    <Form
      onSubmit={() => {
        // With a taken name, Enter must not decide.
        if (taken === null) linking.link();
      }}
    >
      <div>
        <Title order={2} size="h4">
          Which agent runs there?
        </Title>
        <Text c="dimmed" className="break-anywhere">
          You are signed in as {who.name}. The machine gets a key for this agent, and nothing else of the
          treasury.
        </Text>
      </div>
      <AgentToLinkFields linking={linking} />
      <ErrorNote error={linking.error} notDone="The machine was not linked." />
      <Group>
        {taken === null ? (
          <Button type="submit" loading={isBusy}>
            Link this machine
          </Button>
        ) : (
          <Button {...wrapping} mih={36} variant="default" loading={isBusy} onClick={linking.giveFurtherKey}>
            Give it another key for {taken}
          </Button>
        )}
      </Group>
    </Form>
  );
};
