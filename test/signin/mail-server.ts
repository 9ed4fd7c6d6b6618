// A real SMTP server on this machine, whose mail a test can read.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface TestMailServer {
  port: number;
  received: { to: string[]; email: Email; secure: boolean }[];
  /** The passwords of all attempts to log in, including refused ones. */
  logins: { username: string; password: string; secure: boolean }[];
  /** Resolves with the newest message to an address, once there are so many. */
  mailTo(address: string, count?: number): Promise<Email>;
  /** The number of connections. */
  connections(): number;
  close(): Promise<void>;
}

/** Takes one login, if any, and every message. */
export const openMailServer = async (
  options: SMTPServerOptions & { password?: string } = {},
): Promise<TestMailServer> => {
  const { password, ...smtp } = options;
  const received: TestMailServer['received'] = [];
  const logins: TestMailServer['logins'] = [];
  let connections = 0;
  let arrived = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: password === undefined,
    disableReverseLookup: true,
    logger: false,
    onConnect(_session, answer) {
      connections += 1;
      answer();
    },
    onAuth(login, session, answer) {
      logins.push({
        username: login.username ?? '',
        password: login.password ?? '',
        secure: session.secure,
      });
      if (login.password === password) answer(null, { user: login.username });
      else answer(new Error(`No entry for ${login.password}`));
    },
    onData(stream, session, answer) {
      const take = async (): Promise<void> => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const email = await PostalMime.parse(Buffer.concat(chunks));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, email, secure: session.secure });
        answer();
        arrived.resolve();
        arrived = Promise.withResolvers();
      };
      // A treasury that is closed breaks off in the middle of a message.
      take().catch(answer);
    },
    ...smtp,
  });
  // A client that breaks off a handshake does not fail the test.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const mailTo: TestMailServer['mailTo'] = async (address, count = 1) => {
    for (;;) {
      const found = received.filter(({ to }) => to.includes(address));
      const newest = found.at(-1);
      if (newest !== undefined && found.length >= count) return newest.email;
      await arrived.promise;
    }
  };
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    logins,
    mailTo,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};

/** The parts that a person finds in the message. */
export const codeIn = ({ text }: Email): string => /\b\d{6}\b/.exec(text ?? '')?.[0] ?? '';
export const addressIn = ({ text }: Email): URL => new URL(/https?:\/\/\S+/.exec(text ?? '')?.[0] ?? '');
export const secretIn = (email: Email): string => addressIn(email).hash.replace('#email=', '');
