// A task's small picture, loaded when it comes near the view; a placeholder without one.
import { useIntersection } from '@mantine/hooks';
import { IconPhoto, IconPhotoOff } from '@tabler/icons-react';
import styles from './gallery.module.css';
import { Spinner } from './Spinner.tsx';
import type { Task } from './filters.ts';
import { usePicture } from './use-picture.ts';

export const Thumbnail = ({ taskId, status }: Pick<Task, 'taskId' | 'status'>) => {
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: '200px' });
  const isMade = status === 'success';
  const { data, error } = usePicture(taskId, 'small', isMade && (entry?.isIntersecting ?? false));
  return (
    <div ref={ref} className={styles['thumbnail']}>
      {/* An empty alt: the prompt beside it describes the picture. */}
      {data !== undefined && <img src={data.dataUrl} width={data.width} height={data.height} alt="" />}
      {data === undefined && (status === 'failed' || error !== null) && (
        <IconPhotoOff size={32} aria-hidden />
      )}
      {data === undefined && isMade && error === null && <IconPhoto size={32} aria-hidden />}
      {(status === 'queued' || status === 'generating') && <Spinner size={32} />}
    </div>
  );
};
