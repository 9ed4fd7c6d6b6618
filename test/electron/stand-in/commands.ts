// The commands that a test sends to the stand-in: click, close, ask over IPC as some sender, and read the records.
import type { MenuItemConstructorOptions } from 'electron';
import * as electron from './electron.ts';

/** The sender of an IPC message. */
export type Sender = 'page' | 'subframe' | 'no frame' | 'other origin' | 'other window' | 'detached';

const frameOf = (as: Sender): object | null => {
  const frame = {
    detached: as === 'detached',
    parent: as === 'subframe' ? {} : null,
    origin: as === 'other origin' ? 'https://example.com' : 'app://treasury',
    url: as === 'other origin' ? 'https://example.com/' : 'app://treasury/index.html#/',
  };
  return as === 'no frame' ? null : frame;
};

const theWindow = (): electron.BrowserWindow => {
  const [window] = electron.windows;
  if (window === undefined) throw new Error('there is no window');
  return window;
};
const theTray = (): electron.Tray => {
  const tray = electron.trays[0];
  if (tray === undefined) throw new Error('there is no tray');
  return tray;
};

/** The item that the labels lead to; each is the beginning of an item's label. */
const itemAt = (labels: readonly string[]): MenuItemConstructorOptions => {
  let items: readonly MenuItemConstructorOptions[] = theTray().menu;
  let found: MenuItemConstructorOptions | undefined;
  for (const label of labels) {
    found = items.find((item) => item.label?.startsWith(label));
    if (found === undefined) throw new Error(`no ${label} among ${items.map((it) => it.label).join(', ')}`);
    items = Array.isArray(found.submenu) ? found.submenu : [];
  }
  if (found === undefined || found.enabled === false)
    throw new Error(`${labels.join(' > ')} cannot be clicked`);
  return found;
};

const labelsOf = (items: readonly MenuItemConstructorOptions[]): string[] =>
  items.flatMap((item) => [
    item.label ?? '—',
    ...(Array.isArray(item.submenu) ? labelsOf(item.submenu).map((label) => `  ${label}`) : []),
  ]);

const commands = {
  click(labels: readonly string[]) {
    const { click } = itemAt(labels);
    const at = performance.timeOrigin + performance.now();
    // Electron passes item, window and event; our code may need none of them.
    (click as (() => void) | undefined)?.();
    return { at, doneAt: performance.timeOrigin + performance.now() };
  },
  tray: () => ({
    image: (theTray().image as { path: string }).path.split('/').at(-1),
    tooltip: theTray().tooltip,
    menu: labelsOf(theTray().menu),
  }),
  window() {
    const { visible, minimized, isProtected, url, options } = theWindow();
    return { visible, minimized, isProtected, url, options };
  },
  windows: () => electron.windows.size,
  closeWindow: () => theWindow().close(),
  async invoke({ channel, args, as }: { channel: string; args: unknown[]; as: Sender }) {
    const handler = electron.handlers.get(channel);
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    const id = as === 'other window' ? 999 : theWindow().webContents.id;
    const event = { sender: { id }, senderFrame: frameOf(as) };
    return structuredClone(await handler(event, ...args));
  },
  channels: () => [...electron.handlers.keys()],
  messages: () => theWindow().webContents.sent,
  /** Emits the event with which Electron reports an attempt of a page; true when the attempt was refused. */
  refuses(event: string) {
    let refused = false;
    theWindow().webContents.emit(event, { preventDefault: () => (refused = true) }, {});
    return refused;
  },
  windowOpen: (url: string) => theWindow().webContents.openHandler?.({ url }).action,
  notifications: () => electron.notifications.map(({ options }) => options),
  clickNotification: (place: number) => electron.notifications.at(place)?.emit('click'),
  shortcuts: () => [...electron.shortcuts.keys()],
  press: (accelerator: string) => electron.shortcuts.get(accelerator)?.(),
  answer: (answer: (typeof electron.answers)[number]) => void electron.answers.push(answer),
  clipboard: () => electron.clipboard.readText(),
  secondInstance: () =>
    void electron.app.emit('second-instance', {}, ['--data', '/elsewhere'], '/', { evil: 1 }),
  power: (event: 'suspend' | 'resume' | 'shutdown') => void electron.powerMonitor.emit(event),
  calls: () => electron.calls.map(({ call, args }) => ({ call, args: JSON.parse(JSON.stringify(args)) })),
} as const;

export type Commands = typeof commands;
export type CommandName = keyof Commands;

interface Asked {
  id: number;
  name: CommandName;
  input: unknown;
}

process.on('message', ({ id, name, input }: Asked) => {
  const work = commands[name] as (input: unknown) => unknown;
  Promise.resolve()
    .then(() => work(input))
    .then(
      (value) => process.send?.({ id, value }),
      (error: unknown) => process.send?.({ id, error: String(error) }),
    );
});
// The desktop ends when it is told to, not when the test's connection is cut.
process.channel?.unref();
