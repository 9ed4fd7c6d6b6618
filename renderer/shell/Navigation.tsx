// The dashboard's screens, as a list beside the content or as a bar below it.
import { Badge, Group, Indicator, NavLink, Stack, Text, UnstyledButton } from '@mantine/core';
import {
  IconBuildingBank,
  IconBuildingStore,
  IconHandStop,
  IconHistory,
  IconLayoutDashboard,
  IconPhoto,
  IconRobot,
  IconSettings,
  type Icon,
} from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useTreasury, waitingIn } from '../stores/treasury.ts';

interface Place {
  path: string;
  label: string;
  icon: Icon;
}

const places: readonly Place[] = [
  { path: '/', label: 'Overview', icon: IconLayoutDashboard },
  { path: '/agents', label: 'Agents', icon: IconRobot },
  { path: '/approvals', label: 'Approvals', icon: IconHandStop },
  { path: '/activity', label: 'Activity', icon: IconHistory },
  { path: '/catalog', label: 'Catalog', icon: IconBuildingStore },
  { path: '/gallery', label: 'Pictures', icon: IconPhoto },
  { path: '/treasury', label: 'Treasury', icon: IconBuildingBank },
  { path: '/settings', label: 'Settings', icon: IconSettings },
];

const useWaiting = (): number => useTreasury(({ snapshot }) => (snapshot === null ? 0 : waitingIn(snapshot)));

const isAt = (location: string, path: string): boolean =>
  path === '/' ? location === '/' || location === '/welcome' : location.startsWith(path);

export const NavigationList = () => {
  const [location] = useLocation();
  const waiting = useWaiting();
  return (
    <Stack gap={4} component="nav" aria-label="Places">
      {places.map(({ path, label, icon: Icon }) => (
        <NavLink
          key={path}
          component={Link}
          href={path}
          label={label}
          leftSection={<Icon size={18} aria-hidden />}
          active={isAt(location, path)}
          aria-current={isAt(location, path) ? 'page' : undefined}
          rightSection={path === '/approvals' && waiting > 0 ? <Waiting count={waiting} /> : undefined}
        />
      ))}
    </Stack>
  );
};

const Waiting = ({ count }: { count: number }) => (
  <Badge size="sm" circle color="yellow" aria-label={`${count} waiting`}>
    {count}
  </Badge>
);

export const NavigationBar = () => {
  const [location] = useLocation();
  const waiting = useWaiting();
  return (
    <Group component="nav" aria-label="Places" grow h="100%" gap={0} wrap="nowrap">
      {places.map(({ path, label, icon: Icon }) => (
        <UnstyledButton
          key={path}
          component={Link}
          href={path}
          aria-current={isAt(location, path) ? 'page' : undefined}
          c={isAt(location, path) ? 'var(--mantine-primary-color-light-color)' : 'dimmed'}
          ta="center"
        >
          <Indicator
            inline
            disabled={path !== '/approvals' || waiting === 0}
            label={waiting}
            size={16}
            color="yellow"
          >
            <Icon size={22} aria-hidden />
          </Indicator>
          <Text size="9px" fw={500}>
            {label}
          </Text>
        </UnstyledButton>
      ))}
    </Group>
  );
};
