// The notices of this host, with the ways out of it that their channels take.
import { createNotices, type Notices } from '../notices/notices.ts';
import type { SignIn } from '../signin/sign-in.ts';
import { createOutbound } from '../x402/outbound.ts';
import type { Built } from './build.ts';
import type { Connected } from './connect.ts';
import type { HostOptions } from './options.ts';
import type { Opened } from './open.ts';

type Stages = Opened & Connected & Built;

/** An answer to a notice is read so far, and no further. */
const mostAnswerBytes = 256 * 1024;

export const noticesOf = (
  { showNotice }: HostOptions,
  { engine, vault, ownOrigins, halted }: Stages,
  { sendMail }: SignIn,
): Notices => {
  const notices = createNotices({
    context: engine.context,
    secrets: { get: vault.getSecret, set: vault.setSecret },
    onEvent: engine.onEvent,
    mail: sendMail,
    desktop: showNotice ?? null,
    async post({ allowPrivate, ...request }) {
      const outbound = createOutbound({
        allowOrigins: allowPrivate ? [new URL(request.url).origin] : [],
        ownOrigins,
        mostBytes: mostAnswerBytes,
      });
      try {
        return await outbound({ ...request, method: 'POST' });
      } finally {
        outbound.close();
      }
    },
  });
  halted.listeners.push(notices.halted);
  return notices;
};
