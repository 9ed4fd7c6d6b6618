// The parts of places that have a name of their own: the settings' pages, tabs and panels, by their titles. The list of the
// settings and the palette read them here; the places themselves are in places.ts, which the first screen needs.

/** An address, its title, and further words by which it is found. */
export interface Part {
  path: string;
  label: string;
  words?: string;
}

/** The pages of the settings, in their order. The first is shown where the address names none. */
export const settingsPages = {
  limits: {
    label: 'Limits',
    words: 'ceiling daily weekly monthly budget boost all agents time zone clock hours',
  },
  notices: { label: 'Notices', words: 'notifications alerts email webhook ntfy channel low balance bell' },
  phones: { label: 'Phones', words: 'mobile wallet approve remote lost stolen freeze code qr print' },
  machines: { label: 'Other machines', words: 'tunnel public address remote tailscale cloudflare server' },
  people: {
    label: 'People',
    words: 'link sign-in login identity team colleagues mail server smtp openid oidc provider wallet',
  },
  computer: {
    label: 'This computer',
    words:
      'dark light mode theme appearance colours start at login shortcut sign out log out session browser desktop',
  },
  backup: { label: 'Backup', words: 'copy restore data folder recovery export records' },
  about: { label: 'About', words: 'version update network support diagnostics help log report' },
} as const satisfies Record<string, Omit<Part, 'path'>>;

export type SettingsPage = keyof typeof settingsPages;
export const settingsPageNames = Object.keys(settingsPages) as [SettingsPage, ...SettingsPage[]];
export const pathOfSettings = (page: SettingsPage): string => `/settings/${page}`;

/** The tabs of an agent's page. The first has the page's own address. */
export const agentTabs = {
  policy: { label: 'Policy', words: 'limits boost raise daily budget services approvals cooldown' },
  watch: { label: 'Watch', words: 'unusual activity normal alarm' },
  keys: { label: 'Keys and connection', words: 'api delegated connect install mcp program' },
  history: { label: 'History', words: 'payments refusals' },
} as const satisfies Record<string, Omit<Part, 'path'>>;
