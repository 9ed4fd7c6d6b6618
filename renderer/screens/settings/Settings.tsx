// The treasury's settings, and facts about this installation.
import {
  SimpleGrid,
  Stack,
  Text,
  SegmentedControl,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import { Panel } from '../../shared/ui/Panel.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { isDesktop, useConnection } from '../../stores/connection.ts';
import { About } from './About.tsx';
import { Ceiling } from './Ceiling.tsx';
import { DataFolder } from './DataFolder.tsx';
import { Diagnostics } from './Diagnostics.tsx';
import { Notices } from './notices/Notices.tsx';
import { OtherMachines } from './OtherMachines.tsx';
import { Phones } from './phones/Phones.tsx';
import { Session } from './Session.tsx';
import { LinkSignIn } from './sign-in/LinkSignIn.tsx';
import { System } from './System.tsx';
import { TimeZone } from './TimeZone.tsx';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useOwner, reread } from '../../stores/queries.ts';
import { Gauges } from '../agents/limits/LimitGauges.tsx';
import { LimitsForm } from '../agents/limits/LimitsForm.tsx';
import { limitsBesidesCeiling } from '../agents/limits/policy-form.ts';

export default function Settings() {
  const desktop = useConnection((state) => state.desktop);
  return (
    <Screen title="Settings">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <Ceiling />
          <AllAgentsLimits />
          <TimeZone />
          <Appearance />
          {desktop === null ? <OnlyInDesktop /> : <System desktop={desktop} />}
          {!isDesktop && <Session />}
        </Stack>
        <Stack gap="lg">
          <DataFolder />
          <Diagnostics />
          <About />
        </Stack>
      </SimpleGrid>
      <Notices />
      <Phones />
      <OtherMachines />
      <LinkSignIn />
    </Screen>
  );
}

const OnlyInDesktop = () => (
  <Panel title="This machine">
    <Text size="sm">
      Start at login, the keyboard shortcut that freezes everything, and notifications are in the desktop
      application.
    </Text>
  </Panel>
);

/** The owner's further limits over all agents together, beside the ceiling. */
const AllAgentsLimits = () => {
  const { data, error, refetch } = useOwner('getTreasuryLimits');
  return (
    <Panel
      title="Further limits for all agents"
      note="These limits apply to all agents combined, in addition to the ceiling and their own limits."
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          <Gauges
            used={{ ...data.used, budgets: data.used.budgets.filter(({ field }) => field !== 'dailyBudget') }}
            of="all agents"
          />
          <LimitsForm
            kind={limitsBesidesCeiling}
            rules={data.limits}
            of="all agents"
            save={(body) => ask('setTreasuryLimits', { body }).then(() => reread('getTreasuryLimits'))}
          />
        </>
      )}
    </Panel>
  );
};

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
