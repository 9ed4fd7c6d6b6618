// A QR code of an address; on white in every theme, since not every camera reads light on dark.
import { Box, Skeleton } from '@mantine/core';
import { chunk } from '../chunk.tsx';

const usualSize = 168;

const Code = chunk(async () => ({ default: (await import('qrcode.react')).QRCodeSVG }), {
  what: 'The code to scan',
  waiting: <Skeleton w={usualSize} h={usualSize} />,
});

interface QrCodeProps {
  value: string;
  /** The name of its content, such as "Deposit address". */
  title: string;
  size?: number;
}

export const QrCode = ({ value, title, size = usualSize }: QrCodeProps) => (
  <Box bg="white" p="sm" w="fit-content" maw="100%" bdrs="md" lh={0}>
    <Code
      value={value}
      size={size}
      level="M"
      title={title}
      role="img"
      aria-label={title}
      style={{ maxWidth: '100%', height: 'auto' }}
    />
  </Box>
);
