// Checks that bytes are a picture, by decoding every pixel.
import { createHash } from 'node:crypto';
import type { StoredImage } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { mostPictureBytes, pictureTypeOf } from './picture-type.ts';

const leastSide = 64;
const mostSide = 8_192;

/** `limitInputPixels` keeps a decompression bomb from being decoded. */
export const decoding = { failOn: 'error', limitInputPixels: mostSide * mostSide } as const;

/** @throws AppError `generation_failed` for anything but a whole picture of an acceptable size */
export const decode = async (bytes: Uint8Array): Promise<StoredImage> => {
  if (bytes.byteLength > mostPictureBytes) throw unfit('it is larger than 32 MiB');
  const mediaType = pictureTypeOf(bytes);
  if (mediaType === null) throw unfit('it is neither PNG, JPEG nor WebP');
  // Loaded with the first picture, so that a starting host need not wait for it.
  const { default: sharp } = await import('sharp');
  const picture = sharp(bytes, decoding);
  const { width, height, pages = 1 } = await picture.metadata().catch(broken);
  if (Math.min(width, height) < leastSide || Math.max(width, height) > mostSide)
    throw unfit(`it is ${width} × ${height} pixels`);
  if (pages > 1) throw unfit('it is animated');
  // One channel takes a quarter of the memory, and still every pixel has to be read.
  const { data, info } = await picture
    .extractChannel(0)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(broken);
  if (info.width !== width || info.height !== height || data.byteLength !== width * height)
    throw unfit('it is not whole');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { mediaType, width, height, bytes: bytes.byteLength, sha256 };
};

const broken = (): never => {
  throw unfit('it cannot be decoded');
};

const unfit = (why: string): AppError =>
  new AppError('generation_failed', `The provider's picture cannot be used: ${why}.`);
