// An agent's picture: the owner's letters or emoji, or the pattern of its id, in its colour. Its name stands beside it.
import type { AgentColor } from '../../server/contract/agent-marks.ts';
import { useTreasury } from '../stores/treasury.ts';
import { colorOfAgent, patternOf } from './agent-looks.ts';

interface Look {
  color: AgentColor | null;
  picture: string | null;
}

const derived: Look = { color: null, picture: null };

/** Archived agents have the look of their id. */
export const useAgentLook = (agentId: string): Look =>
  useTreasury(({ snapshot }) => snapshot?.agents.find((agent) => agent.agentId === agentId)) ?? derived;

/** The colours of agents, for charts. */
export const useAgentColors = (): ((agentId: string) => string) => {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents);
  const chosen = new Map(agents?.map(({ agentId, color }) => [agentId, color]));
  return (agentId) => colorOfAgent(agentId, chosen.get(agentId) ?? null);
};

interface AgentPictureProps {
  agentId: string;
  size?: number;
  /** Before it is saved. */
  look?: Look;
}

export const AgentPicture = ({ agentId, size = 18, look }: AgentPictureProps) => {
  const kept = useAgentLook(agentId);
  const { color, picture } = look ?? kept;
  return (
    <svg
      aria-hidden
      className="agent-picture"
      width={size}
      height={size}
      viewBox="0 0 7 7"
      style={{ backgroundColor: colorOfAgent(agentId, color) }}
    >
      {picture === null ? (
        patternOf(agentId).map(([column, row]) => (
          <rect key={`${column} ${row}`} x={column + 1} y={row + 1} width={1.02} height={1.02} />
        ))
      ) : (
        <text x="3.5" y="3.6" fontSize={[...picture].length > 1 ? 3 : 4.4}>
          {picture}
        </text>
      )}
    </svg>
  );
};
