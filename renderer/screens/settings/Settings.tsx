// The treasury's settings, and facts about this installation, in pages with addresses of their own.
import {
  Button,
  DataList,
  Group,
  type MantineColorScheme,
  NativeSelect,
  NavLink,
  SegmentedControl,
  Stack,
  useMantineColorScheme,
} from '@mantine/core';
import { useEffect, type ComponentType } from 'react';
import { Link, useLocation } from 'wouter';
import { pathOfSettings, settingsPageNames, settingsPages, type SettingsPage } from '../../parts.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { Trouble } from '../../shared/ui/Trouble.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { inBrowser, isDesktop, signOut, useConnection } from '../../stores/connection.ts';
import { DataFolder } from './DataFolder.tsx';
import { Diagnostics } from './Diagnostics.tsx';
import { Notices } from './notices/Notices.tsx';
import { OtherMachines } from './OtherMachines.tsx';
import { Phones } from './phones/Phones.tsx';
import { LinkSignIn } from './sign-in/LinkSignIn.tsx';
import { System } from './System.tsx';
import { TimeZone } from './TimeZone.tsx';
import { ask } from '../../api/owner.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { reread, useOwner } from '../../stores/queries.ts';
import { LimitsForm } from '../agents/limits/LimitsForm.tsx';
import { limitsForm } from '../agents/limits/policy-form.ts';
import { IconLogout } from '@tabler/icons-react';
import { SessionOver } from '../../api/proof.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';

/** Each is short; the first one opens where the address names no other. */
const pages: Record<SettingsPage, ComponentType> = {
  limits: AllAgentsLimits,
  notices: Notices,
  phones: Phones,
  machines: OtherMachines,
  people: LinkSignIn,
  computer: ThisComputer,
  backup: DataFolder,
  about: () => (
    <>
      <About />
      <Diagnostics />
    </>
  ),
};

const isPage = (name: string): name is SettingsPage => name in settingsPages;

export default function Settings({ params }: { params: { page?: string | undefined } }) {
  const page = isPage(params.page ?? '') ? (params.page as SettingsPage) : settingsPageNames[0];
  const Page = pages[page];
  const [, go] = useLocation();
  // The list stays, with the focus in it; what is read begins at its top.
  useEffect(() => void scrollTo(0, 0), [page]);
  return (
    <Screen title="Settings" name={`${settingsPages[page].label} · Settings`}>
      <NativeSelect
        hiddenFrom="md"
        aria-label="Page of the settings"
        data={settingsPageNames.map((value) => ({ value, label: settingsPages[value].label }))}
        value={page}
        onChange={({ currentTarget }) => go(`/settings/${currentTarget.value}`)}
      />
      <Group align="flex-start" wrap="nowrap" gap="lg">
        <Stack gap={4} w={170} flex="none" visibleFrom="md" component="nav" aria-label="Settings">
          {settingsPageNames.map((name) => (
            <NavLink
              key={name}
              component={Link}
              href={pathOfSettings(name)}
              label={settingsPages[name].label}
              active={name === page}
              aria-current={name === page ? 'page' : undefined}
            />
          ))}
        </Stack>
        <Stack gap="lg" flex={1} miw={0}>
          <Trouble key={page} what="This page">
            <Page />
          </Trouble>
        </Stack>
      </Group>
    </Screen>
  );
}

function ThisComputer() {
  const desktop = useConnection((state) => state.desktop);
  return (
    <>
      {desktop !== null && <System desktop={desktop} />}
      <TimeZone />
      <Appearance />
      {!isDesktop && <Session />}
    </>
  );
}

/** The owner's limits for all agents together. */
function AllAgentsLimits() {
  const read = useOwner('getTreasuryLimits');
  const spentToday = useTreasury(({ snapshot }) => snapshot?.ceiling.spent);
  return (
    <>
      <QueryState of={read} />
      {read.data !== undefined && (
        <LimitsForm
          title="Limits for all agents"
          note="These limits apply to all agents combined, on top of their own."
          kind={limitsForm}
          rules={read.data.limits}
          used={read.data.used}
          spentToday={spentToday}
          of="all agents"
          save={(body) => ask('setTreasuryLimits', { body }).then(() => reread('getTreasuryLimits'))}
        />
      )}
    </>
  );
}

/** Light, dark, or the system's setting. */
const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const Appearance = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title="Appearance">
      <SegmentedControl
        data={schemes}
        value={colorScheme}
        onChange={setColorScheme}
        aria-label="Appearance"
        fullWidth
      />
    </Panel>
  );
};

const until =
  'You stay signed in, in all tabs of this browser, for twelve hours. Locking the treasury, changing its passphrase or restoring its records signs you out sooner, and so does a restart on a real network.';

/** Ends this browser's sessions. */
const Session = () => {
  const end = useCommand(async () => {
    await inBrowser()?.endSession().catch(unlessOver);
    signOut();
  });
  return (
    <Panel title="This browser" note={until}>
      <Group>
        <Button
          variant="default"
          leftSection={<IconLogout size={18} aria-hidden />}
          loading={end.isBusy}
          onClick={() => void end.run()}
        >
          Sign out
        </Button>
      </Group>
      <ErrorNote error={end.error} notDone="You are still signed in." />
    </Panel>
  );
};

const unlessOver = (error: unknown): void => {
  if (!(error instanceof SessionOver)) throw error;
};

const protections = {
  keychain: 'System keychain',
  'keychain+seal': 'System keychain and passphrase',
  'passphrase-file': 'Passphrase',
  'key-file': 'File of the sandbox',
};

const updates = {
  off: 'By hand',
  idle: 'You have the newest version',
  available: 'A newer version is being fetched',
  ready: 'A newer version will be used from the next start',
};

/** Version, network and platform of this installation. */
const About = () => {
  const { data: about, error } = useOwner('about');
  const desktop = useConnection((state) => state.desktop);
  return (
    <Panel title="About">
      <ErrorNote error={error} />
      {about !== undefined && (
        <DataList size="sm" gap="xs" labelWidth={110}>
          <Fact label="Version">{about.version}</Fact>
          {desktop !== null && <Fact label="Updates">{updates[desktop.updates]}</Fact>}
          <Fact label="Network">{about.network}</Fact>
          <Fact label="Solana server">{about.rpcHost}</Fact>
          <Fact label="Keys">{protections[about.protection]}</Fact>
          <Fact label="Running since">
            <Moment iso={about.startedAt} />
          </Fact>
          <Fact label="Platform">{about.platform}</Fact>
          <Fact label="Node">{about.node}</Fact>
        </DataList>
      )}
    </Panel>
  );
};
