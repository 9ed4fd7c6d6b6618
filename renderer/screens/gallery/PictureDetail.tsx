// One task in full: the whole picture, the request, its file, its charge and its refund.
import { Anchor, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPhotoOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Back } from '../../shared/ui/Back.tsx';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { Quote } from '../../shared/ui/Quote.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { PictureFacts } from './PictureFacts.tsx';
import type { Task } from './filters.ts';
import { WholePicture } from './WholePicture.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import styles from './gallery.module.css';
import { Spinner } from './Spinner.tsx';
import { refundOf } from './task-words.ts';

interface PictureDetailProps {
  agentId: string;
  taskId: string;
}

export default function PictureDetail(params: PictureDetailProps) {
  const task = useOwner('getTask', { params });
  return (
    <Screen title="Picture">
      <Back to="/gallery" name="Pictures" />
      <QueryState of={task} />
      {task.data !== undefined && <Picture task={task.data} />}
    </Screen>
  );
}

const Picture = ({ task }: { task: Task }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
    <Panel>
      {task.image === undefined ? (
        <TaskOutcome task={task} />
      ) : (
        <WholePicture taskId={task.taskId} prompt={task.prompt} image={task.image} />
      )}
    </Panel>
    <Stack gap="lg">
      <Panel title="Request">
        <Quote text={task.prompt} from="The agent’s prompt" silence="There is no prompt." />
      </Panel>
      <Panel title="Details">
        <PictureFacts task={task} />
      </Panel>
    </Stack>
  </SimpleGrid>
);

/** Explains a missing picture: not ready yet, or failed, and what became of the money. */
const TaskOutcome = ({ task }: { task: Task }) => {
  const { failure, approvalId, status, model, resolution, prompt } = task;
  if (failure !== undefined)
    return (
      <>
        <Notice color="red" icon={<IconPhotoOff aria-hidden />} title="This picture could not be made">
          <span className="break-anywhere">{failure.message}</span> {refundOf(task)}
        </Notice>
        <Group>
          <CopyButton
            text={`Make this picture again, with ${model} at ${resolution}: ${prompt}`}
            what="request"
            label="Copy request to ask again"
          />
        </Group>
      </>
    );
  return (
    <div className={styles['whole']}>
      <Stack align="center" gap="xs" role="status">
        <Spinner size={40} />
        {approvalId === undefined ? (
          <Text>{status === 'queued' ? 'It is next in the queue.' : 'The provider is working on it.'}</Text>
        ) : (
          <Text>
            It needs your approval.{' '}
            <Anchor component={Link} href="/approvals" inherit>
              Decide now
            </Anchor>
          </Text>
        )}
      </Stack>
    </div>
  );
};
