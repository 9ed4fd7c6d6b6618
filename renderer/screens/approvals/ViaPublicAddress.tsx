// How a request reached the treasury, where it was not asked on this machine.
import { Text } from '@mantine/core';

export const ViaPublicAddress = () => (
  <Text fw={600}>It came through the public address, from another machine.</Text>
);
