// Keeps pictures in a folder, one file per task, readable by this user alone. A file gets its name only once it is
// whole and on disk, so that a power cut leaves a picture or none.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pictures, StoredImage } from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import { decode, decoding } from './decode.ts';
import { createDurableFolder } from '../lib/files/durable-folder.ts';
import { mostPictureBytes } from './picture-type.ts';

const extensions: Readonly<Record<StoredImage['mediaType'], string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};
const mostSmallSide = 512;

export const createPictures = ({ folder }: { folder: string }): Pictures => {
  const files = createDurableFolder(folder);

  const read = async (taskId: string, image: StoredImage): Promise<Buffer> => {
    const bytes = await readIfThere(join(folder, nameOf(taskId, image.mediaType)));
    if (bytes === null || createHash('sha256').update(bytes).digest('hex') !== image.sha256)
      throw new AppError('not_found', 'The file of this picture is gone or damaged.');
    return bytes;
  };

  return {
    read,
    async keep(taskId, bytes) {
      checked(taskId);
      const image = await decode(bytes);
      // The bytes as they came, with any note of the picture's origin that the provider put in them.
      await files.write(nameOf(taskId, image.mediaType), bytes);
      return image;
    },
    async find(taskId) {
      for (const mediaType of Object.keys(extensions) as StoredImage['mediaType'][]) {
        const bytes = await readIfThere(join(folder, nameOf(taskId, mediaType)));
        if (bytes === null || bytes.byteLength > mostPictureBytes) continue;
        const image = await decode(bytes).catch(onlyIfUnfit);
        if (image?.mediaType === mediaType) return image;
      }
      return null;
    },
    async small(taskId, image) {
      const name = `${checked(taskId)}.${image.sha256.slice(0, 16)}.small.webp`;
      const { default: sharp } = await import('sharp');
      const before = await readIfThere(join(folder, name));
      const size = before === null ? null : await sizeOf(before);
      if (before !== null && size !== null) return { bytes: before, mediaType: 'image/webp', ...size };
      const whole = await read(taskId, image);
      const { data, info } = await sharp(whole, decoding)
        .autoOrient()
        .resize(mostSmallSide, mostSmallSide, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 82 })
        .toBuffer({ resolveWithObject: true });
      await files.write(name, data);
      return { bytes: data, mediaType: 'image/webp', width: info.width, height: info.height };
    },
  };
};

const nameOf = (taskId: string, mediaType: StoredImage['mediaType']): string =>
  `${checked(taskId)}.${extensions[mediaType]}`;

/** The id becomes part of a path, so it must not lead out of the folder. */
const checked = (taskId: string): string => {
  invariant(/^[A-Za-z0-9_-]{1,64}$/.test(taskId), 'the id of a task is one');
  return taskId;
};

const readIfThere = (path: string): Promise<Buffer | null> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

const onlyIfUnfit = (error: unknown): null => {
  if (error instanceof AppError) return null;
  throw error;
};

/** Null when it cannot be read: it is then made again. */
const sizeOf = async (bytes: Buffer): Promise<{ width: number; height: number } | null> => {
  const { default: sharp } = await import('sharp');
  try {
    const { width, height } = await sharp(bytes, decoding).metadata();
    return { width, height };
  } catch {
    return null;
  }
};
