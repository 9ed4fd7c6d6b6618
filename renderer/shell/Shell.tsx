// The frame around every screen: navigation, the network, warnings, and the freeze button, which is always within
// reach. On narrow pages, from 420 px as in a tray's popover, the navigation is at the bottom. The Tab key comes to it first.
import { AppShell, Badge, Box, Group, Text } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { screenAt } from '../shared/screen-at.ts';
import { clearFailures } from '../shared/notify.ts';
import { useTreasury } from '../stores/treasury.ts';
import { Banners } from './Banners.tsx';
import { Bell } from './Bell.tsx';
import { Finding } from './Finding.tsx';
import { FreezeButton } from './FreezeButton.tsx';
import { Logo } from './Logo.tsx';
import { NavigationBar, NavigationList } from './Navigation.tsx';

export const Shell = ({ children }: { children: ReactNode }) => {
  const network = useTreasury(({ snapshot }) => snapshot?.network);
  // Its banner has the button that ends it.
  const isFrozen = useTreasury(({ snapshot }) => snapshot?.frozen === true);
  const [location] = useLocation();
  const screen = screenAt(location);
  // It leads by itself, and its Next button is at the bottom, where the bar would cover it.
  const isInWizard = location === '/welcome';
  useEffect(() => {
    // `void`: newer browsers return a promise, which React would take for a clean-up function.
    void scrollTo(0, 0);
    return clearFailures;
  }, [screen]);
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: true, desktop: isInWizard } }}
      footer={{ height: { base: isInWizard ? 0 : 64, sm: 0 } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <SkipLink />
      {!isInWizard && (
        <>
          <AppShell.Navbar p="sm" visibleFrom="sm">
            <NavigationList />
          </AppShell.Navbar>
          <AppShell.Footer hiddenFrom="sm">
            <NavigationBar />
          </AppShell.Footer>
        </>
      )}
      <AppShell.Header>
        <Group h="100%" px={{ base: 'sm', sm: 'lg' }} gap="xs" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" flex="none">
            <Box visibleFrom="xs">
              <Logo />
            </Box>
            <Text fw={650} visibleFrom="sm" size="md">
              Agent Treasury
            </Text>
            {network !== undefined && <NetworkBadge network={network} />}
          </Group>
          <Group gap="xs" wrap="nowrap" flex="none">
            <Finding />
            <Bell />
            {!isInWizard && !isFrozen && <FreezeButton />}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Main tabIndex={-1}>
        <Banners />
        {children}
      </AppShell.Main>
    </AppShell>
  );
};

/** Whether the money is real; on a narrow phone too. */
const NetworkBadge = ({ network }: { network: string }) => {
  const isReal = network === 'mainnet';
  return (
    <Badge variant="dot" color={isReal ? 'teal' : 'yellow'} tt="none" flex="none">
      <Text span inherit hiddenFrom="xs">
        {isReal ? 'Mainnet' : 'Test'}
      </Text>
      <Text span inherit visibleFrom="xs">
        {network === 'sandbox' ? 'Sandbox: test money' : network}
      </Text>
    </Badge>
  );
};

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
