// Mail through the owner's SMTP server. Nothing of a message, a password or a server's words reaches the log.
import type { SignInSettings } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import { codeOf } from './words.ts';

export type MailServer = NonNullable<SignInSettings['mailServer']> & { password: string | null };

export interface Message {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Rejects with the SMTP client's error. */
  send(server: MailServer, message: Message): Promise<void>;
  /** Sends after whoever asked has had an answer, which so says nothing of how it goes. */
  sendLater(server: MailServer, message: Message): void;
  /** Breaks off what is under way. */
  close(): void;
}

const stepMs = 10_000;
const wholeMs = 30_000;

export const createMailer = (log: Log): Mailer => {
  const closing = new AbortController();
  const send = async (server: MailServer, message: Message): Promise<void> => {
    // Loaded when it is needed: it would take longer to load than much of the host.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(connectionOf(server));
    try {
      await transport.sendMail({
        from: { name: 'Agent Treasury', address: server.from },
        ...message,
        to: { name: '', address: message.to },
        // RFC 3834: no out-of-office notes in return.
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
          // The server's words may repeat what was sent.
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
  // Without it, whoever sits between could strike STARTTLS out of the server's answer (RFC 3207, section 6).
  requireTLS: security === 'starttls',
  ignoreTLS: security === 'none',
  tls: { minVersion: 'TLSv1.2' as const },
  ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
  connectionTimeout: stepMs,
  greetingTimeout: stepMs,
  socketTimeout: stepMs,
  dnsTimeout: stepMs,
});
