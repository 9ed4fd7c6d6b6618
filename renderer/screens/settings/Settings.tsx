// The treasury's settings, and facts about this installation.
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { Panel } from '../../shared/Panel.tsx';
import { Screen } from '../../shared/Screen.tsx';
import { isDesktop, useConnection } from '../../stores/connection.ts';
import { About } from './About.tsx';
import { AllAgentsLimits } from './AllAgentsLimits.tsx';
import { Appearance } from './Appearance.tsx';
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
