// The tray's state, texts and menu, derived from a snapshot alone. Nothing here runs Electron.
import type { MenuItemConstructorOptions } from 'electron';
import { addUsdc, formatUsdc, parseUsdc, usdc, type Usdc } from '../../server/money.ts';
import type { Life } from '../desktop.ts';
import { inert } from '../inert.ts';
import { refusalItems, type RefusalActions } from './refusal-menu.ts';
import type { Snapshot } from '../snapshot.ts';

export type TrayState = 'running' | 'attention' | 'frozen' | 'halted';

export interface TrayView {
  life: Life;
  /** Null before the first reading. */
  snapshot: Snapshot | null;
  startAtLogin: { supported: boolean; enabled: boolean };
  shortcut: string | null;
}

export interface TrayActions extends RefusalActions {
  freeze(): void;
  unfreeze(): void;
  pause(agentId: string): void;
  resume(agentId: string): void;
  lock(): void;
  copyAddress(address: string): void;
  setStartAtLogin(enabled: boolean): void;
  quit(): void;
}

export const waiting = ({ pendingApprovals, pendingLogins, pendingLinks }: Snapshot): number =>
  pendingApprovals + pendingLogins + pendingLinks;

export const trayState = ({ life, snapshot }: TrayView): TrayState => {
  if (life.phase === 'failed') return 'halted';
  if (life.phase === 'setup') return 'attention';
  const first = pressing(snapshot);
  if (first === undefined) return 'running';
  return first.code === 'halted' || first.code === 'frozen' ? first.code : 'attention';
};

/** The gravest condition, then requests that wait for an answer, then warnings. Reminders are for the page. */
const pressing = (snapshot: Snapshot | null) => {
  const conditions = snapshot?.conditions ?? [];
  return (
    conditions.find(({ severity, isEverywhere }) => severity === 'critical' || isEverywhere) ??
    conditions.find(({ code }) => code === 'approvals') ??
    conditions.find(({ severity }) => severity === 'warning')
  );
};

/** The most important fact, in one line. */
export const headline = ({ life, snapshot }: TrayView): string => {
  if (life.phase === 'failed') return 'Not running: open to see why';
  if (life.phase === 'setup') return 'Waiting to be set up';
  if (life.phase === 'starting' || snapshot === null) return 'Starting …';
  const first = pressing(snapshot);
  return first === undefined ? 'Running' : inert(first.title);
};

const nothing = usdc(0n);
const sum = (amounts: readonly string[]): Usdc =>
  amounts.reduce((total, text) => addUsdc(total, parseUsdc(text) ?? nothing), nothing);

const clockTime = (iso: string): string =>
  new Date(iso).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false });

/** Today's spending and the daily budgets, summed over all agents, and when the first is used up at its rate. */
export const spendLine = ({ agents }: Snapshot): string => {
  const spent = sum(agents.map((agent) => agent.spentToday));
  const budget = sum(agents.map((agent) => agent.inForce.dailyBudget));
  const [soonest] = agents.flatMap(({ budgetEndsAt }) => budgetEndsAt ?? []).toSorted();
  const ahead = soonest === undefined ? '' : `, first used up at ${clockTime(soonest)}`;
  return `Spent today: ${formatUsdc(spent)} of ${formatUsdc(budget)} USDC${ahead}`;
};

/** The most that could be lost with this machine; shown with its time when the chain was not read for a minute. */
export const riskLine = ({ exposure: { amount, asOf, isStale } }: Snapshot): string => {
  const doubt = isStale ? `, as of ${asOf === null ? 'the last run' : clockTime(asOf)}, perhaps more` : '';
  return `If this machine were stolen now: at most ${amount} USDC${doubt}`;
};

export const tooltip = (view: TrayView): string => {
  const lines = ['Agent Treasury', headline(view)];
  if (view.snapshot !== null) lines.push(spendLine(view.snapshot));
  return lines.join('\n');
};

/** The text beside the icon, on systems that show one. */
export const title = ({ snapshot }: TrayView): string => {
  const count = snapshot === null ? 0 : waiting(snapshot);
  return count === 0 ? '' : String(count);
};

type Item = MenuItemConstructorOptions;
const separator: Item = { type: 'separator' };

export const trayMenu = (view: TrayView, actions: TrayActions): Item[] => {
  const { snapshot } = view;
  const parts = [
    [{ label: 'Open Agent Treasury', click: () => actions.open() }],
    statusItems(view, actions),
    freezeItems(view, actions),
    snapshot === null ? [] : refusalItems(snapshot, actions),
    snapshot === null ? [] : agentItems(snapshot, actions),
    snapshot === null ? [] : treasuryItems(snapshot, actions),
    loginItems(view, actions),
    [{ label: 'Quit', click: actions.quit }],
  ];
  return parts
    .filter((part) => part.length > 0)
    .flatMap((part, place) => (place === 0 ? part : [separator, ...part]));
};

const statusItems = (view: TrayView, { open }: TrayActions): Item[] => {
  const { snapshot } = view;
  const needsOwner = snapshot !== null && waiting(snapshot) > 0;
  const status: Item = needsOwner
    ? { label: headline(view), click: () => open('/approvals') }
    : { label: headline(view), enabled: false };
  if (snapshot === null) return [status];
  const facts = [spendLine(snapshot), riskLine(snapshot)];
  return [status, ...facts.map((label): Item => ({ label, enabled: false }))];
};

/** Shown as soon as anything can be paid, even before the first snapshot. */
const freezeItems = ({ life, snapshot, shortcut }: TrayView, actions: TrayActions): Item[] => {
  if (life.phase !== 'running') return [];
  if (snapshot?.frozen === true) return [{ id: 'unfreeze', label: 'Unfreeze …', click: actions.unfreeze }];
  const hint: Item =
    shortcut === null
      ? {}
      : { accelerator: shortcut, registerAccelerator: false, acceleratorWorksWhenHidden: false };
  return [{ id: 'freeze', label: 'Freeze everything', click: actions.freeze, ...hint }];
};

/** Longer menus are unwieldy; the window shows the rest. */
const mostAgents = 20;

const agentItems = ({ agents }: Snapshot, actions: TrayActions): Item[] => {
  const shown = agents.slice(0, mostAgents).map((agent): Item => {
    const suspended = agent.status === 'suspended';
    const spend = `${agent.spentToday} of ${agent.inForce.dailyBudget} USDC`;
    return {
      id: `agent:${agent.agentId}`,
      label: `${nameOf(agent)}${suspended ? ' (paused)' : ''}: ${spend}`,
      submenu: [
        suspended
          ? { label: 'Resume', click: () => actions.resume(agent.agentId) }
          : { label: 'Pause', click: () => actions.pause(agent.agentId) },
        { label: 'Show', click: () => actions.open(agentPath(agent.agentId)) },
      ],
    };
  });
  const rest = agents.length - shown.length;
  return rest > 0 ? [...shown, { label: `${rest} more …`, click: () => actions.open('/agents') }] : shown;
};

export const agentPath = (agentId: string): string => `/agents/${encodeURIComponent(agentId)}`;

/** An agent chooses its display name, so the id says which agent it is. */
const nameOf = ({ agentId, displayName }: Snapshot['agents'][number]): string =>
  displayName === agentId ? plain(agentId, 64) : `${plain(agentId, 64)} “${plain(displayName)}”`;

/** A single ampersand in a label would underline the next letter. */
const plain = (text: string, most = 40): string => inert(text, most).replaceAll('&', '&&');

const treasuryItems = ({ treasury, locked }: Snapshot, actions: TrayActions): Item[] => [
  { label: 'Copy the deposit address', click: () => actions.copyAddress(treasury.walletAddress) },
  locked
    ? { label: 'Unlock …', click: () => actions.open('/') }
    : { label: 'Lock (stops payments)', click: actions.lock },
];

const loginItems = ({ startAtLogin }: TrayView, { setStartAtLogin }: TrayActions): Item[] =>
  startAtLogin.supported
    ? [
        {
          label: 'Start at login',
          type: 'checkbox',
          checked: startAtLogin.enabled,
          click: () => setStartAtLogin(!startAtLogin.enabled),
        },
      ]
    : [];
