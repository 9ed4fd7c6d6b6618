// The routes of the watch: the owner's alone.
import { owner } from '../route.ts';

export const watchRoutes = {
  listWatch: owner('GET /v1/watch', 'The watch over each agent, and what it saw, newest first'),
  getWatch: owner('GET /v1/agents/:agentId/watch', 'The watch over an agent, and what it saw, newest first'),
  setWatch: owner(
    'POST /v1/agents/:agentId/watch',
    'What the watch does when a rule trips: nothing, tell, ask the owner, or pause the agent',
  ),
  watchNormal: owner(
    'POST /v1/agents/:agentId/watch/normal',
    'What it saw is normal: mutes the rule for that service for 30 days, and ends the asking',
  ),
  watchUsual: owner(
    'POST /v1/agents/:agentId/watch/usual',
    'The agent is back to usual: ends the asking, and mutes nothing',
  ),
  endWatchMute: owner('POST /v1/agents/:agentId/watch/unmute', 'End a mute of the watch'),
  previewWatch: owner(
    'GET /v1/agents/:agentId/watch/preview',
    'What the watch would have seen in the last 30 days; changes nothing',
  ),
} as const;
