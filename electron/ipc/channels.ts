// The names of all IPC channels between page and main process. Free of zod, since the preload script uses them.
import { routes, type RouteName } from '../../server/contract/routes.ts';
import { notForOwner, type OwnerRoute } from '../../server/contract/owner-api.ts';

const isForOwner = (name: RouteName): name is OwnerRoute =>
  !(notForOwner as readonly RouteName[]).includes(name);

export const ownerRoutes: readonly OwnerRoute[] = (Object.keys(routes) as RouteName[]).filter(isForOwner);

/** Commands that only a desktop has. */
export const desktopCommands = [
  'state',
  'setUp',
  'retry',
  'revealPhrase',
  'confirmPhrase',
  'changeSettings',
  'installMcp',
  'copy',
  'openExplorer',
  'openDataFolder',
  'saveStatement',
  'saveBooks',
  'cancelBooks',
  'savePicture',
  'saveDiagnostics',
  'quit',
] as const;
export type DesktopCommand = (typeof desktopCommands)[number];

/** Messages from the main process to the page. */
export const messages = ['event', 'state', 'open'] as const;
export type Message = (typeof messages)[number];

export const ownerChannel = (route: OwnerRoute): string => `owner:${route}`;
export const desktopChannel = (command: DesktopCommand): string => `desktop:${command}`;
export const messageChannel = (message: Message): string => `message:${message}`;
