// The names of all channels between page and main process, free of zod: the preload script is built from them.
import { routes, type RouteName } from '../server/contract/routes.ts';
import { notForOwner, type OwnerRoute } from '../server/contract/owner-api.ts';

const isForOwner = (name: RouteName): name is OwnerRoute =>
  !(notForOwner as readonly RouteName[]).includes(name);

export const ownerRoutes: readonly OwnerRoute[] = (Object.keys(routes) as RouteName[]).filter(isForOwner);

/** What only a desktop can do. */
export const desktopCommands = [
  'state',
  'setUp',
  'retry',
  'revealPhrase',
  'confirmPhrase',
  'changeSettings',
  'copy',
  'openExplorer',
  'openDataFolder',
  'saveStatement',
  'savePicture',
  'saveDiagnostics',
  'quit',
] as const;
export type DesktopCommand = (typeof desktopCommands)[number];

/** What the main process tells the page. */
export const messages = ['event', 'state', 'open'] as const;
export type Message = (typeof messages)[number];

export const ownerChannel = (route: OwnerRoute): string => `owner:${route}`;
export const desktopChannel = (command: DesktopCommand): string => `desktop:${command}`;
export const messageChannel = (message: Message): string => `message:${message}`;
