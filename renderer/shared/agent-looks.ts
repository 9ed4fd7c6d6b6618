// The look of an agent, the same on every screen and in every chart: from its id, unless the owner chose another. Where an
// older agent has the color of its id, it gets the next one.
import { agentColors, type AgentColor } from '../../server/contract/agents/agent-marks.ts';

/** FNV-1a: the same number for the same id, always. */
const numberOf = (text: string): number => {
  let hash = 0x81_1c_9d_c5;
  for (const letter of text) {
    hash ^= letter.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01_00_01_93) >>> 0;
  }
  // Neighboring ids differ in their last letter alone: spread that over all bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d) >>> 0;
  return (hash ^ (hash >>> 13)) >>> 0;
};

const hues = Object.values(agentColors);
/** Each stands out from a light and from a dark card by at least 3 : 1. */
const lightness = [0.6, 0.5] as const;

const css = (light: number, hue: number): string => `oklch(${light} 0.13 ${hue})`;

const colors = lightness.flatMap((light) => hues.map((hue) => css(light, hue)));

/** The colors in the order in which an agent would have them. */
const wishesOf = (agentId: string): readonly string[] => {
  const first = numberOf(agentId) % colors.length;
  return [...colors.slice(first), ...colors.slice(0, first)];
};

/** Of an agent by itself. */
export const colorOfAgent = (agentId: string, chosen: AgentColor | null = null): string =>
  chosen === null ? (wishesOf(agentId)[0] ?? '') : css(lightness[0], agentColors[chosen]);

export interface Colored {
  agentId: string;
  /** The owner's choice; null: none. */
  color: AgentColor | null;
}

/** In degrees. */
const farApart = 50;
const hueOf = (color: string): number => Number(/ ([\d.]+)\)$/.exec(color)?.[1]);
const isFar =
  (one: string) =>
  (other: string): boolean =>
    Math.abs(((hueOf(one) - hueOf(other) + 540) % 360) - 180) >= farApart;

/**
 * Of agents that are drawn together. Each has a color of its own while there are enough, and while there are, one that is
 * far from those of older agents. @param agents oldest first
 */
export const colorsOfAgents = (agents: readonly Colored[]): ReadonlyMap<string, string> => {
  const chosen = agents.filter(({ color }) => color !== null);
  const found = new Map(chosen.map(({ agentId, color }) => [agentId, colorOfAgent(agentId, color)]));
  const taken = new Set(found.values());
  for (const { agentId, color } of agents) {
    if (color !== null) continue;
    const left = wishesOf(agentId).filter((one) => !taken.has(one));
    const own = left.find((one) => [...taken].every(isFar(one))) ?? left[0] ?? colorOfAgent(agentId);
    taken.add(own);
    found.set(agentId, own);
  }
  return found;
};

const side = 5;

/** The filled cells of a pattern of 5 by 5 that is the same left and right, as column and row. */
export const patternOf = (agentId: string): readonly (readonly [number, number])[] => {
  const bits = numberOf(`picture ${agentId}`);
  const cells: [number, number][] = [];
  for (let at = 0; at < 15; at += 1) {
    // The middle is always filled, so that no pattern is empty.
    if (((bits >>> at) & 1) === 0 && at !== 12) continue;
    const [column, row] = [Math.floor(at / side), at % side];
    cells.push([column, row]);
    if (column < 2) cells.push([side - 1 - column, row]);
  }
  return cells;
};
