// A QR code of an address; on white in every theme, since not every camera reads light on dark.
import { Box, Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Trouble } from './Trouble.tsx';

const Code = lazy(async () => ({ default: (await import('qrcode.react')).QRCodeSVG }));

interface QrCodeProps {
  value: string;
  /** The name of its content, such as "Deposit address". */
  title: string;
  size?: number;
}

export const QrCode = ({ value, title, size = 168 }: QrCodeProps) => (
  <Trouble what="The code to scan">
    <Box bg="white" p="sm" w="fit-content" bdrs="md" lh={0}>
      <Suspense fallback={<Skeleton w={size} h={size} />}>
        <Code value={value} size={size} level="M" title={title} role="img" aria-label={title} />
      </Suspense>
    </Box>
  </Trouble>
);
