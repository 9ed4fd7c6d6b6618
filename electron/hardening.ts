// Prohibitions for all pages, applied to every session and web contents at its creation, whichever code creates it.
import type { App, Session, WebContents } from 'electron';
import { pageOrigin } from './app-scheme.ts';

/** Only the page's own files are loaded: no network, no other scheme. Pictures come over IPC, as data. */
const isOwn = (url: string): boolean =>
  [`${pageOrigin}/`, 'devtools://', 'data:image/'].some((start) => url.startsWith(start));

export const hardenSession = (session: Session): void => {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setUSBProtectedClassesHandler(({ protectedClasses }) => protectedClasses);
  session.setBluetoothPairingHandler((_details, answer) => answer({ confirmed: false }));
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  // Its dictionaries would be downloaded.
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event) => event.preventDefault());
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOwn(url) }));
};

const refuse = (event: { preventDefault(): void }): void => event.preventDefault();

const hardenContents = (contents: WebContents): void => {
  contents.on('will-navigate', refuse);
  contents.on('will-redirect', refuse);
  contents.on('will-frame-navigate', refuse);
  contents.on('will-attach-webview', refuse);
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
};

/** Call it before the application is ready. */
export const hardenApp = (app: Pick<App, 'enableSandbox' | 'on'>): void => {
  app.enableSandbox();
  app.on('session-created', hardenSession);
  app.on('web-contents-created', (_event, contents) => hardenContents(contents));
};
