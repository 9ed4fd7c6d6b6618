// The overview while the snapshot is on its way: its lists are asked for meanwhile.
import { Loading } from '../../shared/ui/Screen.tsx';
import { useRecent } from './RecentActivity.tsx';
import { useSpendingAhead } from './SpendingPanels.tsx';

export const Ahead = () => {
  useRecent();
  useSpendingAhead();
  return <Loading />;
};
