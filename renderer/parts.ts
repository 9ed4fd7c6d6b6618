// The parts within the places: the settings' pages, tabs and panels by their titles, each with further words by which it
// is found. The list of the settings, an agent's tabs and the palette read them here. The places themselves are in places.ts,
// which the first screen needs.

/** An address, its title, and further words by which it is found. */
export interface Part {
  path: string;
  label: string;
  words?: string;
}
type Titled = Omit<Part, 'path'>;

/** The pages of the settings, in their order. The first is shown where the address names none. */
export const settingsPages = {
  limits: { label: 'Limits', words: 'settings budgets' },
  notices: { label: 'Notices', words: 'settings notifications alerts' },
  phones: { label: 'Phones', words: 'settings mobile approve deny away' },
  machines: {
    label: 'Other machines',
    words: 'settings tunnel public address remote tailscale caddy server',
  },
  people: { label: 'People', words: 'settings team colleagues identity sign-in' },
  computer: { label: 'This computer', words: 'settings desktop start at login shortcut' },
  backup: { label: 'Backup', words: 'settings copy restore recovery' },
  about: { label: 'About', words: 'settings version update help' },
} as const satisfies Record<string, Titled>;

export type SettingsPage = keyof typeof settingsPages;
export const settingsPageNames = Object.keys(settingsPages) as [SettingsPage, ...SettingsPage[]];
export const pathOfSettings = (page: SettingsPage): string => `/settings/${page}`;

/** The tabs of an agent's page, some with a shorter name for a phone. The first has the page's own address. */
export const agentTabs = {
  policy: { label: 'Policy', words: 'limits boost raise daily budget services approvals cooldown' },
  watch: { label: 'Watch', words: 'unusual activity normal alarm' },
  keys: { label: 'Keys and connection', short: 'Keys', words: 'api delegated connect install mcp program' },
  history: { label: 'History', words: 'payments refusals' },
} as const satisfies Record<string, Titled & { short?: string }>;

/** Further words for the places themselves. */
export const wordsOfPlaces: Readonly<Record<string, string>> = {
  '/': 'home start dashboard exposure stolen total',
  '/agents': 'new create group budget boost refill delegated key pause',
  '/approvals': 'requests waiting approve deny answer inbox',
  '/activity': 'payments history transactions ledger refunds refused export csv',
  '/books': 'accounting bookkeeping tax totals spending statement',
  '/catalog': 'services sellers prices allow block marketplace',
  '/gallery': 'images generated',
  '/treasury': 'money balance wallet funds usdc sol',
  '/settings': 'preferences options configuration',
};

/** By its title, as the owner reads it there. */
const panels: readonly [path: string, title: string, words: string][] = [
  ['/', 'Spent by day', 'chart spending forecast'],
  ['/', 'What you could not buy', 'unpayable sellers base chain network token'],
  ['/', 'Budgets', 'limits daily used'],
  ['/', 'Recent activity', 'latest payments'],
  ['/approvals', 'Standing approvals', 'allow in advance grants'],
  ['/books', 'Close a month', 'closing month end reconcile statement print'],
  ['/books/download', 'Download the books', 'export csv accounting tax statement quickbooks xero koinly'],
  ['/books/download', 'Import sales', 'seller paywall gate income file jsonl'],
  ['/books/rules', 'Rules of the books', 'accounts cost centers bookkeeping'],
  ['/catalog/sources', 'Imported lists', 'sources facilitators catalog bazaar'],
  ['/catalog/images', 'Image models', 'image providers prices pictures openai'],
  [
    '/catalog/models',
    'Language model providers',
    'llm openai anthropic claude gpt tokens keys ollama suppliers',
  ],
  ['/catalog/models', 'Language models', 'llm tokens cost per million prices'],
  ['/treasury', 'Deposit', 'add funds top up receive address qr faucet'],
  ['/treasury/get', 'Get money', 'buy usdc sol fees exchange address qr'],
  ['/treasury/get', 'If something else arrived', 'wrong token network lost sol'],
  ['/treasury', 'Withdraw', 'send take out transfer payout'],
  ['/treasury', 'Withdrawals', 'sent paid out'],
  ['/treasury', 'Cold wallet', 'cold treasury ledger hardware allowance draw'],
  ['/treasury', 'Deposits', 'received incoming send back refund'],
  ['/treasury', 'Recovery phrase', 'backup seed 24 words mnemonic restore'],
  ['/treasury', 'Network', 'rpc solana mainnet devnet sandbox'],
  ['/treasury', 'Lock', 'unlock keys memory'],
  ['/treasury', 'Key protection', 'passphrase password keychain change'],
  ['/settings/limits', 'Limits for all agents', 'ceiling daily weekly monthly most spending payments budget'],
  ['/settings/computer', 'Time zone', 'clock calendar hours'],
  ['/settings/notices', 'Channels', 'notices test retry failed'],
  ['/settings/notices', 'Add a channel', 'new e-mail email webhook ntfy'],
  ['/settings/notices', 'Low balance', 'notice wallet warning'],
  ['/settings/notices', 'Sent notices', 'history bell failed retry'],
  ['/settings/phones', 'Freeze code', 'kill switch print qr lost stolen'],
  ['/settings/people', 'Let other people link', 'login mail server smtp identity provider openid sso'],
  ['/settings/computer', 'Appearance', 'dark light mode theme colors'],
  ['/settings/computer', 'This browser', 'sign out log out session'],
  ['/settings/backup', 'Data folder', 'back up now files export records'],
  ['/settings/about', 'Diagnostics', 'support report log problem'],
];

export const parts: readonly Part[] = [
  ...settingsPageNames.map((page) => ({ path: pathOfSettings(page), ...settingsPages[page] })),
  ...panels.map(([path, label, words]) => ({ path, label, words })),
];
