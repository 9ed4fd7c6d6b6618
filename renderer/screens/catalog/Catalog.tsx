// Everything that agents can pay for: services, image models, and the lists that services are imported from.
import { Tabs } from '@mantine/core';
import { useLocation } from 'wouter';
import { Screen } from '../../shared/ui/Screen.tsx';
import { Models } from './Models.tsx';
import { Services } from './Services.tsx';
import { Sources } from './Sources.tsx';

const others = { models: 'Models', sources: 'Sources' } as const;

export default function Catalog({ params: { tab } }: { params: { tab?: string | undefined } }) {
  const [, go] = useLocation();
  return (
    <Screen title="Catalog">
      <Tabs
        value={tab !== undefined && tab in others ? tab : 'services'}
        onChange={(next) => go(next !== null && next in others ? `/catalog/${next}` : '/catalog')}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="services">Services</Tabs.Tab>
          {Object.entries(others).map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="services" pt="md">
          <Services />
        </Tabs.Panel>
        <Tabs.Panel value="models" pt="md">
          <Models />
        </Tabs.Panel>
        <Tabs.Panel value="sources" pt="md">
          <Sources />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  );
}
