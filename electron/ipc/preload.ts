// Gives the page `window.treasury`: one named function for each route, command and message. Neither ipcRenderer nor an
// event object ever crosses.
import { contextBridge, ipcRenderer } from 'electron';
import {
  desktopChannel,
  desktopCommands,
  messageChannel,
  messages,
  ownerChannel,
  ownerRoutes,
  type Message,
} from './channels.ts';

const call =
  (channel: string) =>
  (input: unknown): Promise<unknown> =>
    ipcRenderer.invoke(channel, input);

const callsOf = <Name extends string>(names: readonly Name[], channelOf: (name: Name) => string) =>
  Object.fromEntries(names.map((name) => [name, call(channelOf(name))]));

/** Keeps the last `open` for a page that is not listening yet. */
const createReceiver = (message: Message) => {
  const listeners = new Set<(body: unknown) => void>();
  let missed: { body: unknown } | null = null;
  ipcRenderer.on(messageChannel(message), (_event, body: unknown) => {
    if (listeners.size === 0 && message === 'open') missed = { body };
    for (const listen of listeners) listen(body);
  });
  return (listen: unknown): (() => void) => {
    if (typeof listen !== 'function') throw new TypeError('a listener is a function');
    const own = (body: unknown): void => void listen(body);
    listeners.add(own);
    if (missed !== null) own(missed.body);
    missed = null;
    return () => void listeners.delete(own);
  };
};

const receiverName = { event: 'onEvent', state: 'onState', open: 'onOpen' } as const satisfies Record<
  Message,
  string
>;

contextBridge.exposeInMainWorld('treasury', {
  owner: callsOf(ownerRoutes, ownerChannel),
  desktop: callsOf(desktopCommands, desktopChannel),
  ...Object.fromEntries(messages.map((message) => [receiverName[message], createReceiver(message)])),
});
