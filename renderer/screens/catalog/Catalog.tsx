// Everything that agents can pay for: services, image models, and the lists that services are imported from.
import { SegmentedControl, Stack } from '@mantine/core';
import { useLocation } from 'wouter';
import { chunk } from '../../shared/chunk.tsx';
import { PageTabs } from '../../shared/PageTabs.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { ImageModels } from './ImageModels.tsx';
import { Services } from './Services.tsx';
import { Sources } from './Sources.tsx';

const LanguageModels = chunk(() => import('./language-models/LanguageModels.tsx'), {
  what: 'The list of language models',
});

export default function Catalog({ params: { tab = 'services' } }: { params: { tab?: string | undefined } }) {
  const [, go] = useLocation();
  return (
    <Screen title="Catalog">
      <PageTabs
        shown={tab === 'images' ? 'models' : tab === 'sources' || tab === 'models' ? tab : 'services'}
        onShow={(next) => go(next === 'services' ? '/catalog' : `/catalog/${next}`)}
        tabs={{
          services: ['Services', () => <Services />],
          models: ['Models', () => <Models kind={tab} onShow={(next) => go(`/catalog/${next}`)} />],
          sources: ['Sources', () => <Sources />],
        }}
      />
    </Screen>
  );
}

const Models = ({ kind, onShow }: { kind: string; onShow: (kind: string) => void }) => (
  <Stack gap="md" align="stretch">
    <SegmentedControl
      aria-label="Models"
      w="fit-content"
      data={[
        { value: 'models', label: 'Language' },
        { value: 'images', label: 'Image' },
      ]}
      value={kind}
      onChange={onShow}
    />
    {kind === 'images' ? <ImageModels /> : <LanguageModels />}
  </Stack>
);
