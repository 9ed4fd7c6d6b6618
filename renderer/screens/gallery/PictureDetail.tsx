// One task in full: the whole picture, the request, its file, its charge and its refund.
import { Anchor, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconDownload, IconPhotoOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { Quote } from '../../shared/ui/Quote.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { PictureFacts } from './PictureFacts.tsx';
import type { Task } from './filters.ts';
import { Notice } from '../../shared/ui/Notice.tsx';
import { Spinner } from './Spinner.tsx';
import { blobOf, fileNameOf, refundOf } from './task-words.ts';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { saveFile } from '../../shared/save-file.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { isDesktop } from '../../stores/connection.ts';
import styles from './gallery.module.css';
import { usePicture } from './use-picture.ts';

export default function PictureDetail(params: { agentId: string; taskId: string }) {
  const task = useOwner('getTask', { params });
  const prompt = task.data?.prompt ?? 'Picture';
  const isLong = prompt.length > mostInTitle;
  return (
    <Screen title={isLong ? `${prompt.slice(0, mostInTitle)}…` : prompt} back={['/gallery', 'Pictures']}>
      <QueryState of={task} />
      {task.data !== undefined && <Picture task={task.data} isLong={isLong} />}
    </Screen>
  );
}

/** Letters of the prompt. */
const mostInTitle = 100;

const Picture = ({ task, isLong }: { task: Task; isLong: boolean }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
    <Panel>
      {task.image === undefined ? (
        <TaskOutcome task={task} />
      ) : (
        <WholePicture taskId={task.taskId} prompt={task.prompt} image={task.image} />
      )}
    </Panel>
    <Stack gap="lg">
      {isLong && (
        <Panel title="Request">
          <Quote text={task.prompt} from="The agent’s prompt" silence="There is no prompt." />
        </Panel>
      )}
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
            label="Copy the request"
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

interface WholePictureProps extends Pick<Task, 'taskId' | 'prompt'> {
  image: NonNullable<Task['image']>;
}

/** A picture in full size, which can be saved. */
const WholePicture = ({ taskId, prompt, image: { mediaType, width, height } }: WholePictureProps) => {
  const { data, error, refetch } = usePicture(taskId, 'whole', true);
  const save = useWork(async (dataUrl: string) => {
    // The desktop blocks downloads by pages.
    if (!isDesktop) return saveFile(fileNameOf(taskId, mediaType), blobOf(dataUrl));
    const { path } = await askDesktop('savePicture', { taskId });
    if (path !== null) notifyDone(`Saved as ${path}`);
  });
  const alt = `What a model made of “${prompt.slice(0, 300)}”`;
  return (
    <>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      <div
        className={styles['whole']}
        style={{ aspectRatio: data === undefined ? `${width} / ${height}` : 'auto' }}
      >
        {data === undefined ? (
          error === null && <Spinner size={40} />
        ) : (
          <img src={data.dataUrl} width={data.width} height={data.height} alt={alt} />
        )}
      </div>
      {data !== undefined && (
        <Group>
          <Button
            leftSection={<IconDownload size={18} aria-hidden />}
            loading={save.isBusy}
            onClick={() => void save.run(data.dataUrl)}
          >
            Download
          </Button>
        </Group>
      )}
      <ErrorNote error={save.error} notDone="Nothing was saved." />
    </>
  );
};
