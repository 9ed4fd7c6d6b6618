// The dashboard's screens, for the navigation and for the palette.
import {
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
}

export const places: readonly Place[] = [
  { path: '/', label: 'Overview', icon: IconLayoutDashboard },
  { path: '/agents', label: 'Agents', icon: IconRobot },
  { path: '/approvals', label: 'Approvals', icon: IconHandStop },
  { path: '/activity', label: 'Activity', icon: IconHistory },
  { path: '/catalog', label: 'Catalog', icon: IconBuildingStore },
  { path: '/gallery', label: 'Pictures', icon: IconPhoto },
  { path: '/treasury', label: 'Treasury', icon: IconBuildingBank },
  { path: '/settings', label: 'Settings', icon: IconSettings },
];
