// The colours of the chart and of the ranking: each agent’s own, and grey for all others together.
import { useAgentColors } from '../../shared/ui/AgentPicture.tsx';
import { others } from './spending-data.ts';

export const useSeriesColors = (): ((id: string) => string) => {
  const ofAgent = useAgentColors();
  return (id) => (id === others ? 'var(--mantine-color-gray-5)' : ofAgent(id));
};
