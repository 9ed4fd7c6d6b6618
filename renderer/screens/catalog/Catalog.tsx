// Everything that agents can pay for: services, image models, and the lists that services are imported from.
import { Tabs } from '@mantine/core';
import { useLocation } from 'wouter';
import { chunk } from '../../shared/chunk.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { ImageModels } from './ImageModels.tsx';
import { Services } from './Services.tsx';
import { Sources } from './Sources.tsx';

const LanguageModels = chunk(() => import('./language-models/LanguageModels.tsx'), {
  what: 'The list of language models',
});

const others = { models: 'Models', sources: 'Sources' } as const;

export default function Catalog({ params: { tab } }: { params: { tab?: string | undefined } }) {
  const [, go] = useLocation();
  const kind = tab === 'images' ? tab : 'models';
  return (
    <Screen title="Catalog">
      <Tabs
        value={tab === kind ? 'models' : tab !== undefined && tab in others ? tab : 'services'}
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
          <Tabs
            variant="pills"
            value={kind}
            onChange={(next) => go(`/catalog/${next ?? kind}`)}
            keepMounted={false}
          >
            <Tabs.List aria-label="Models">
              <Tabs.Tab value="models">Language</Tabs.Tab>
              <Tabs.Tab value="images">Image</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="models" pt="md">
              <LanguageModels />
            </Tabs.Panel>
            <Tabs.Panel value="images" pt="md">
              <ImageModels />
            </Tabs.Panel>
          </Tabs>
        </Tabs.Panel>
        <Tabs.Panel value="sources" pt="md">
          <Sources />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  );
}
