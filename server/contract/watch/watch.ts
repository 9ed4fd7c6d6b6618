// The watch: its routes, its modes and its rules.
import { owner, type Route } from '../route.ts';

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
} as const satisfies Record<string, Route>;

/** The mode, and a sentence for the owner who chooses it. */
export const watchModeWords = {
  off: { label: 'Off', sentence: 'The agent is not monitored.' },
  tell: { label: 'Alert me', sentence: 'It alerts you to what is unusual, and stops nothing.' },
  ask: {
    label: 'Ask me',
    sentence:
      'After an alert, every payment waits for your approval until you clear the alert. If it goes on, the agent is paused.',
  },
  pause: { label: 'Pause it', sentence: 'The first alert pauses the agent.' },
} as const;
export type WatchMode = keyof typeof watchModeWords;
export const watchModes = Object.keys(watchModeWords) as [WatchMode, ...WatchMode[]];

export const watchRuleWords = {
  runaway: 'The same call over and over',
  price_jump: 'A sudden price rise',
  fast_spending: 'Spending fast',
  steady_spending: 'Spending without a pause',
  new_payees: 'Many new payees',
  not_delivered: 'Paid, but nothing delivered',
  refusals: 'Many refusals',
} as const;
export type WatchRule = keyof typeof watchRuleWords;
export const watchRules = Object.keys(watchRuleWords) as [WatchRule, ...WatchRule[]];
