// The kinds of notices, and the kinds of channels that they go to. Free of zod, since the renderer reads the tables too.

export const noticeKinds = {
  approval: { label: 'Approval waiting', when: 'an agent asks for your approval' },
  refused: { label: 'Refused', when: 'a payment of an agent is refused' },
  budget: { label: 'Budget at 80 %', when: 'a payment takes spending past 80 % of a budget' },
  unusual: { label: 'Unusual', when: 'an agent does what it usually does not' },
  not_delivered: { label: 'Not delivered', when: 'a seller was paid and did not deliver' },
  deposit: { label: 'Deposit', when: 'USDC, or at least 0.001 SOL, arrives in the treasury' },
  low_balance: { label: 'Low balance', when: 'a payment leaves an agent less than you set' },
  refilled: { label: 'Refilled', when: 'an agent’s wallet is filled up' },
  frozen: { label: 'Frozen', when: 'everything is stopped' },
  halted: {
    label: 'Halted',
    when: 'the treasury stops because its disk failed or a file of its records was removed',
  },
  month_changed: {
    label: 'Closed month changed',
    when: 'a month that you closed is found changed',
  },
  unexplained_debit: {
    label: 'Unexplained debit',
    when: 'money leaves a wallet and no payment explains it: somebody else has its key',
  },
  rpc_down: {
    label: 'Network down',
    when: 'no Solana RPC answers for a minute, and when one answers again',
  },
  login: { label: 'Login asked', when: 'a terminal asks to log in, or a machine asks to be linked' },
  linked: { label: 'Machine linked', when: 'a machine gets an agent’s API key' },
} as const satisfies Record<string, { label: string; when: string }>;

export type NoticeKind = keyof typeof noticeKinds;
export const noticeKindNames = Object.keys(noticeKinds) as NoticeKind[];

export const channelKinds = {
  desktop: 'Desktop',
  webhook: 'Webhook',
  email: 'E-mail',
  ntfy: 'ntfy',
} as const;

export type ChannelKind = keyof typeof channelKinds;
export const channelKindNames = Object.keys(channelKinds) as ChannelKind[];
