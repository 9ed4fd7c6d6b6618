// The dashboard's screens, as a list beside the content or as a bar below it.
import { Badge, Group, Indicator, Menu, NavLink, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { places } from '../places.ts';
import { useTreasury, waitingIn } from '../stores/treasury.ts';

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

/** The places that have a tab of their own on a narrow page; the rest are under More. */
const tabs = 4;

export const NavigationBar = () => {
  const [location] = useLocation();
  const waiting = useWaiting();
  const more = places.slice(tabs);
  return (
    <Group component="nav" aria-label="Places" grow h="100%" gap={0} wrap="nowrap">
      {places.slice(0, tabs).map(({ path, label, icon: Icon }) => (
        <UnstyledButton
          key={path}
          component={Link}
          href={path}
          aria-current={isAt(location, path) ? 'page' : undefined}
          {...tabLook(isAt(location, path))}
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
          <TabLabel>{label}</TabLabel>
        </UnstyledButton>
      ))}
      <Menu position="top-end" withinPortal>
        <Menu.Target>
          <UnstyledButton {...tabLook(more.some(({ path }) => isAt(location, path)))}>
            <IconDots size={22} aria-hidden />
            <TabLabel>More</TabLabel>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {more.map(({ path, label, icon: Icon }) => (
            <Menu.Item
              key={path}
              component={Link}
              href={path}
              leftSection={<Icon size={18} aria-hidden />}
              aria-current={isAt(location, path) ? 'page' : undefined}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
};

const tabLook = (isHere: boolean) =>
  ({
    c: isHere ? 'var(--mantine-primary-color-light-color)' : 'dimmed',
    h: '100%',
    className: 'tab',
  }) as const;

const TabLabel = ({ children }: { children: string }) => (
  <Text size="11px" fw={500}>
    {children}
  </Text>
);
