// What kind of picture some bytes begin like. Nothing else is ever handed to a decoder.
import type { StoredImage } from '../engine/ports.ts';

export type PictureType = StoredImage['mediaType'];

/** The most that a picture may weigh. */
export const mostPictureBytes = 32 * 1024 * 1024;

/** Null for what is neither PNG, JPEG nor WebP. */
export const pictureTypeOf = (bytes: Uint8Array): PictureType | null => {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null;
};

export const isPicture = (bytes: Uint8Array): boolean => pictureTypeOf(bytes) !== null;
