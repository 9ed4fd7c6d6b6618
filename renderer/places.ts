// The dashboard's places: each has a screen, and stands in the navigation and in the palette.
import {
  IconBook2,
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
import type { ComponentType } from 'react';
import { Overview } from './screens/overview/Overview.tsx';
import { chunk } from './shared/chunk.tsx';

type Screen = ComponentType<{ params: Readonly<Record<string, string | undefined>> }>;

interface Place {
  path: string;
  label: string;
  icon: Icon;
  screen: Screen;
  /** The pattern of its addresses, where its screen has several. */
  pattern?: string;
}

const fetched = (
  path: string,
  label: string,
  icon: Icon,
  load: () => Promise<{ default: Screen }>,
): Place => ({
  path,
  label,
  icon,
  screen: chunk(load),
});

export const places: readonly Place[] = [
  { path: '/', label: 'Overview', icon: IconLayoutDashboard, screen: Overview },
  fetched('/agents', 'Agents', IconRobot, () => import('./screens/agents/Agents.tsx')),
  fetched('/approvals', 'Approvals', IconHandStop, () => import('./screens/approvals/Approvals.tsx')),
  fetched('/activity', 'Activity', IconHistory, () => import('./screens/activity/Activity.tsx')),
  {
    ...fetched('/books', 'Books', IconBook2, () => import('./screens/books/Books.tsx')),
    pattern: '/books/:place?/:month?',
  },
  {
    ...fetched('/catalog', 'Catalog', IconBuildingStore, () => import('./screens/catalog/Catalog.tsx')),
    pattern: '/catalog/:tab?',
  },
  fetched('/gallery', 'Pictures', IconPhoto, () => import('./screens/gallery/Gallery.tsx')),
  fetched('/treasury', 'Treasury', IconBuildingBank, () => import('./screens/treasury/Treasury.tsx')),
  {
    ...fetched('/settings', 'Settings', IconSettings, () => import('./screens/settings/Settings.tsx')),
    pattern: '/settings/:page?',
  },
];
