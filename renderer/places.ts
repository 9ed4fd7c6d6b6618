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

interface Place {
  path: string;
  /** The pattern of its addresses, where its screen has several. */
  pattern?: string;
  screen: ComponentType<{ params: Readonly<Record<string, string | undefined>> }>;
  label: string;
  icon: Icon;
}

export const places: readonly Place[] = [
  { path: '/', label: 'Overview', icon: IconLayoutDashboard, screen: Overview },
  {
    path: '/agents',
    label: 'Agents',
    icon: IconRobot,
    screen: chunk(() => import('./screens/agents/Agents.tsx')),
  },
  {
    path: '/approvals',
    label: 'Approvals',
    icon: IconHandStop,
    screen: chunk(() => import('./screens/approvals/Approvals.tsx')),
  },
  {
    path: '/activity',
    label: 'Activity',
    icon: IconHistory,
    screen: chunk(() => import('./screens/activity/Activity.tsx')),
  },
  {
    path: '/books',
    pattern: '/books/:place?/:month?',
    label: 'Books',
    icon: IconBook2,
    screen: chunk(() => import('./screens/books/Books.tsx')),
  },
  {
    path: '/catalog',
    pattern: '/catalog/:tab?',
    label: 'Catalog',
    icon: IconBuildingStore,
    screen: chunk(() => import('./screens/catalog/Catalog.tsx')),
  },
  {
    path: '/gallery',
    label: 'Pictures',
    icon: IconPhoto,
    screen: chunk(() => import('./screens/gallery/Gallery.tsx')),
  },
  {
    path: '/treasury',
    label: 'Treasury',
    icon: IconBuildingBank,
    screen: chunk(() => import('./screens/treasury/Treasury.tsx')),
  },
  {
    path: '/settings',
    pattern: '/settings/:page?',
    label: 'Settings',
    icon: IconSettings,
    screen: chunk(() => import('./screens/settings/Settings.tsx')),
  },
];
