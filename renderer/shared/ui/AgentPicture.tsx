// An agent's picture: the owner's letters or emoji, or the pattern of its id, in its color. Its name stands beside it.
import type { AgentColor } from '../../../server/contract/agents/agent-marks.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { colorOfAgent, colorsOfAgents, patternOf, type Colored } from '../agent-looks.ts';

interface Look {
  color: AgentColor | null;
  picture: string | null;
}

const derived: Look = { color: null, picture: null };

/** Archived agents have the look of their id. */
export const useAgentLook = (agentId: string): Look =>
  useTreasury(({ snapshot }) => snapshot?.agents.find((agent) => agent.agentId === agentId)) ?? derived;

const none: readonly Colored[] = [];
let known = { agents: none, colors: colorsOfAgents(none) };

/** Once for each snapshot. */
const colorsIn = (agents: readonly Colored[]): ReadonlyMap<string, string> => {
  if (known.agents !== agents) known = { agents, colors: colorsOfAgents(agents) };
  return known.colors;
};

/** For charts: the colors of the pictures. */
export const useAgentColors = (): ((agentId: string) => string) => {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents ?? none);
  return (agentId) => colorsIn(agents).get(agentId) ?? colorOfAgent(agentId);
};

/** @param look before it is saved */
const useColor = (agentId: string, look: Look | undefined): string =>
  useTreasury(({ snapshot }) => {
    const agents = snapshot?.agents ?? none;
    if (look === undefined) return colorsIn(agents).get(agentId);
    return colorsOfAgents(
      agents.map((one) => (one.agentId === agentId ? { agentId, color: look.color } : one)),
    ).get(agentId);
  }) ?? colorOfAgent(agentId, look?.color);

interface AgentPictureProps {
  agentId: string;
  size?: number;
  /** Before it is saved. */
  look?: Look;
}

export const AgentPicture = ({ agentId, size = 18, look }: AgentPictureProps) => {
  const kept = useAgentLook(agentId);
  const { picture } = look ?? kept;
  const color = useColor(agentId, look);
  return (
    <svg
      aria-hidden
      className="agent-picture"
      width={size}
      height={size}
      viewBox="0 0 7 7"
      style={{ backgroundColor: color }}
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
