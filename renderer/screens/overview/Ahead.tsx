// The overview while the snapshot is on its way: its lists are asked for meanwhile.
import { Loading } from '../../shared/ui/Screen.tsx';
import { useOutcomes } from './RecentActivity.tsx';
import { useSpendingAhead } from './SpendingPanels.tsx';

export const Ahead = () => {
  useOutcomes();
  useSpendingAhead();
  return <Loading />;
};
