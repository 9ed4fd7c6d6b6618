// The type of a picture, by its first bytes. Nothing else is ever handed to a decoder.
import type { StoredImage } from '../engine/ports.ts';

type PictureType = StoredImage['mediaType'];

export const mostPictureBytes = 32 * 1024 * 1024;

/** Null unless it is PNG, JPEG or WebP. */
export const pictureTypeOf = (bytes: Uint8Array): PictureType | null => {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null;
};

export const isPicture = (bytes: Uint8Array): boolean => pictureTypeOf(bytes) !== null;
