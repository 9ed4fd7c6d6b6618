// The frame around every screen: navigation, the network, warnings, and the freeze button, which is always within
// reach. On narrow pages, from 420 px as in a tray's popover, the navigation is at the bottom.
import { AppShell, Badge, Box, Group, Text } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { clearFailures } from '../shared/notify.ts';
import { useTreasury } from '../stores/treasury.ts';
import { Banners } from './Banners.tsx';
import { Finding } from './Finding.tsx';
import { FreezeButton } from './FreezeButton.tsx';
import { Logo } from './Logo.tsx';
import { NavigationBar, NavigationList } from './Navigation.tsx';

export const Shell = ({ children }: { children: ReactNode }) => {
  const network = useTreasury(({ snapshot }) => snapshot?.network);
  const [location] = useLocation();
  useEffect(() => {
    // `void`: newer browsers return a promise, which React would take for a clean-up function.
    void scrollTo(0, 0);
    return clearFailures;
  }, [location]);
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: true } }}
      footer={{ height: { base: 64, sm: 0 } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <SkipLink />
      <AppShell.Header>
        <Group h="100%" px={{ base: 'sm', sm: 'lg' }} gap="xs" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Box visibleFrom="xs">
              <Logo />
            </Box>
            <Text fw={650} visibleFrom="sm">
              Agent Treasury
            </Text>
            {network !== undefined && <NetworkBadge network={network} />}
          </Group>
          <Group gap="xs" wrap="nowrap" flex="none">
            <Finding />
            <FreezeButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" visibleFrom="sm">
        <NavigationList />
      </AppShell.Navbar>
      <AppShell.Main tabIndex={-1}>
        <Banners />
        {children}
      </AppShell.Main>
      <AppShell.Footer hiddenFrom="sm">
        <NavigationBar />
      </AppShell.Footer>
    </AppShell>
  );
};

const NetworkBadge = ({ network }: { network: string }) => (
  <Badge
    variant="light"
    color={network === 'mainnet' ? 'teal' : 'yellow'}
    autoContrast
    tt="none"
    // On a narrow phone too, the owner reads whether the money is real.
    px={{ base: 4, xs: 'xs' }}
  >
    {network === 'sandbox' ? 'Sandbox' : network}
    {network === 'sandbox' && (
      <Text span inherit visibleFrom="xs">
        : test money
      </Text>
    )}
  </Badge>
);

/** The first stop of the Tab key: past the header, whose button stops everything, to the screen's content. */
const SkipLink = () => {
  const [location] = useLocation();
  return (
    <a
      className="skip-link"
      href={`#${location}`}
      onClick={(event) => {
        event.preventDefault();
        document.querySelector('main')?.focus();
      }}
    >
      Skip to the content
    </a>
  );
};
