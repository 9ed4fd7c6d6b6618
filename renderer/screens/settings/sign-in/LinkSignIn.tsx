// The sign-in settings of link sessions: identities beside the owner, the mail server, the identity provider. Folded until
// they are in use, since most owners never need them.
import { Accordion, Divider, SimpleGrid, Stack, Text } from '@mantine/core';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { Identities } from './Identities.tsx';
import { MailServer } from './MailServer.tsx';
import { Provider } from './Provider.tsx';

export const LinkSignIn = () => {
  const { data, error, refetch } = useOwner('getSignIn');
  if (data === undefined) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  const { identities, mailServer, provider } = data;
  const isInUse = identities.length > 0 || mailServer !== null || provider !== null;
  return (
    <section aria-label="Let other people link">
      <Accordion variant="contained" order={2} defaultValue={isInUse ? 'open' : null} keepMounted={false}>
        <Accordion.Item value="open" bg="var(--card)">
          <Accordion.Control>
            <Text fw={650}>Let other people link</Text>
            <Text size="sm" c="dimmed">
              People and accounts that can link a machine at the page that “treasury link” opens. You can
              always do it yourself, in Approvals.
            </Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Stack gap="md">
              <ErrorNote error={error} onRetry={() => void refetch()} />
              <Identities identities={identities} provider={provider?.name ?? null} />
              <Divider />
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
                {/* A new key remounts a form when its saved values change. */}
                <MailServer key={`mail ${JSON.stringify(mailServer)}`} kept={mailServer} />
                <Provider
                  key={`provider ${JSON.stringify(provider)}`}
                  kept={provider}
                  redirectUris={[data.redirectUri, data.publicRedirectUri].filter((one) => one !== null)}
                />
              </SimpleGrid>
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </section>
  );
};
