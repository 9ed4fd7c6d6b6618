// Everything that agents can pay for: services, and image models.
import { Tabs } from '@mantine/core';
import { useLocation } from 'wouter';
import { Screen } from '../../shared/Screen.tsx';
import { Models } from './Models.tsx';
import { Services } from './Services.tsx';

export default function Catalog({ tab }: { tab: string | undefined }) {
  const [, go] = useLocation();
  return (
    <Screen title="Catalog">
      <Tabs
        value={tab === 'models' ? 'models' : 'services'}
        onChange={(next) => go(next === 'models' ? '/catalog/models' : '/catalog')}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="services">Services</Tabs.Tab>
          <Tabs.Tab value="models">Models</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="services" pt="md">
          <Services />
        </Tabs.Panel>
        <Tabs.Panel value="models" pt="md">
          <Models />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  );
}
