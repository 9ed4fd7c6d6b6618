// The marks by which the owner tells agents apart: a color, a picture and tags. Free of zod, since the renderer reads it too.

/** Hues in degrees of OKLCH, far enough apart to be told apart. */
export const agentColors = {
  rose: 10,
  coral: 35,
  amber: 65,
  olive: 100,
  green: 140,
  teal: 175,
  cyan: 205,
  sky: 235,
  blue: 260,
  violet: 290,
  purple: 315,
  pink: 345,
} as const;
export type AgentColor = keyof typeof agentColors;
export const agentColorNames = Object.keys(agentColors) as AgentColor[];

export interface AgentMarks {
  /** Null: derived from the agent’s id. */
  color: AgentColor | null;
  /** One or two letters, or an emoji; null: a pattern that is derived from the id. */
  picture: string | null;
  tags: readonly string[];
}

export const mostTags = 8;
export const tagLetters = 24;
export const pictureLetters = 4;
