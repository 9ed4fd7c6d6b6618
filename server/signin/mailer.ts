// Mail through the owner's SMTP server. Messages, passwords and the server's words never reach the log.
import type { SignInSettings } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import { codeOf } from './words.ts';

export type MailServer = NonNullable<SignInSettings['mailServer']> & { password: string | null };

export interface Message {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** Makes the same message recognizable when it comes twice. */
  id?: string;
}

export interface Mailer {
  /** Rejects with the SMTP client's error. */
  send(server: MailServer, message: Message): Promise<void>;
  /** Sends after the caller's request was answered, so that the timing of the reply says nothing about it. */
  sendLater(server: MailServer, message: Message): void;
  /** Breaks off open connections. */
  close(): void;
}

const stepMs = 10_000;
const wholeMs = 30_000;

export const createMailer = (log: Log): Mailer => {
  const closing = new AbortController();
  const send = async (server: MailServer, { id, ...message }: Message): Promise<void> => {
    // Loaded on demand: it takes longer to load than much of the host.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(connectionOf(server));
    try {
      await transport.sendMail({
        from: { name: 'Agent Treasury', address: server.from },
        ...message,
        ...(id === undefined ? {} : { messageId: `<${id}@agent-treasury>` }),
        to: { name: '', address: message.to },
        // RFC 3834: suppresses out-of-office replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(wholeMs)]),
      });
    } finally {
      transport.close();
    }
  };
  return {
    send,
    sendLater(server, message) {
      setImmediate(() => {
        send(server, message).then(
          () => log.info('a sign-in code was handed to the mail server'),
          // Only the code: the server's words may repeat what was sent.
          (error: unknown) => log.warn({ code: codeOf(error) }, 'a sign-in code could not be sent'),
        );
      });
    },
    close: () => closing.abort(),
  };
};

const connectionOf = ({ host, port, security, user, password }: MailServer) => ({
  host,
  port,
  secure: security === 'tls',
  // Otherwise a man in the middle could strip STARTTLS from the server's answer (RFC 3207, section 6).
  requireTLS: security === 'starttls',
  ignoreTLS: security === 'none',
  tls: { minVersion: 'TLSv1.2' as const },
  ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
  connectionTimeout: stepMs,
  greetingTimeout: stepMs,
  socketTimeout: stepMs,
  dnsTimeout: stepMs,
});
