// The modes and the rules of the watch, with their words. Free of zod, since the renderer reads them too.

/** The mode, and a sentence for the owner who chooses it. */
export const watchModeWords = {
  off: { label: 'Off', sentence: 'It looks at nothing.' },
  tell: { label: 'Tell me', sentence: 'It tells you what is unusual, and stops nothing.' },
  ask: {
    label: 'Ask me',
    sentence:
      'From what is unusual on, each payment waits for you until you say that all is well. If it goes on, the agent is paused.',
  },
  pause: { label: 'Pause it', sentence: 'At the first thing that is unusual, the agent is paused.' },
} as const;
export type WatchMode = keyof typeof watchModeWords;
export const watchModes = Object.keys(watchModeWords) as [WatchMode, ...WatchMode[]];

export const watchRuleWords = {
  runaway: 'The same call again and again',
  price_jump: 'A price that jumped',
  fast_spending: 'Spending fast',
  steady_spending: 'Spending without a pause',
  new_payees: 'Many new payees',
  not_delivered: 'Paid, and nothing delivered',
  refusals: 'Many refusals',
} as const;
export type WatchRule = keyof typeof watchRuleWords;
export const watchRules = Object.keys(watchRuleWords) as [WatchRule, ...WatchRule[]];
