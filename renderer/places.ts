// The dashboard's screens, for the navigation and for the palette.
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

interface Place {
  path: string;
  label: string;
  icon: Icon;
  /** Further words by which it is found. */
  words?: string;
}

export const places: readonly Place[] = [
  { path: '/', label: 'Overview', icon: IconLayoutDashboard },
  { path: '/agents', label: 'Agents', icon: IconRobot },
  { path: '/approvals', label: 'Approvals', icon: IconHandStop },
  { path: '/activity', label: 'Activity', icon: IconHistory },
  {
    path: '/books',
    label: 'Books',
    icon: IconBook2,
    words: 'month close accounting bookkeeping tax export csv statement rules spending totals',
  },
  { path: '/catalog', label: 'Catalog', icon: IconBuildingStore },
  { path: '/gallery', label: 'Pictures', icon: IconPhoto },
  { path: '/treasury', label: 'Treasury', icon: IconBuildingBank },
  { path: '/settings', label: 'Settings', icon: IconSettings },
];
