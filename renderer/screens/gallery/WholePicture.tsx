// A picture in full size, which can be saved.
import { Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { saveFile } from '../../shared/save-file.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { isDesktop } from '../../stores/connection.ts';
import styles from './gallery.module.css';
import { Spinner } from './Spinner.tsx';
import { blobOf, fileNameOf } from './task-words.ts';
import type { Task } from './filters.ts';
import { usePicture } from './use-picture.ts';

interface WholePictureProps extends Pick<Task, 'taskId' | 'prompt'> {
  image: NonNullable<Task['image']>;
}

export const WholePicture = ({ taskId, prompt, image: { mediaType, width, height } }: WholePictureProps) => {
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
