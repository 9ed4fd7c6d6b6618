// The frame of all screens before there is a treasury.
import { Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Logo } from '../../shell/Logo.tsx';

export const Front = ({ title, children }: { title: string; children: ReactNode }) => {
  useDocumentTitle(`${title} · Agent Treasury`);
  return (
    <Center mih="100dvh" p={{ base: 'sm', sm: 'xl' }}>
      <Stack gap="lg" w="100%" maw={640}>
        <Group gap="sm">
          <Logo />
          <Text fw={650} size="md">
            Agent Treasury
          </Text>
        </Group>
        <Card withBorder bg="var(--card)" padding="xl">
          <Stack gap="lg">
            <Title order={1} size="h2">
              {title}
            </Title>
            {children}
          </Stack>
        </Card>
      </Stack>
    </Center>
  );
};
