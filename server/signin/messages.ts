// The e-mails, as text and as plain HTML.
import type { Link } from '../engine/ports.ts';
import type { Message } from './mailer.ts';
import { machineInMail } from './words.ts';

interface CodeMail {
  to: string;
  link: Pick<Link, 'machine' | 'code'>;
  code: string;
  /** The link page's URL, with the secret in its fragment, which no server sees. */
  address: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

export const codeMessage = ({ to, link, code, address, expiresAt }: CodeMail): Message => {
  const until = `${new Date(expiresAt).toISOString().slice(11, 16)} UTC`;
  const lines = [
    `Somebody asks to link the machine “${machineInMail(link.machine)}” to your Agent Treasury. The terminal there shows the code ${link.code}: go on only if yours does.`,
    `To sign in, type this code on the page that asked for it: ${code}`,
    `Or open this address in a browser on the same computer; it works nowhere else: ${address}`,
    `Both work once, until ${until}.`,
    'If you did not ask for this, do nothing, and share the code with nobody.',
  ];
  return {
    to,
    subject: 'Signing in to your Agent Treasury',
    text: lines.join('\n\n') + '\n',
    html: lines
      .map((line) => `<p>${escape(line)}</p>`)
      .join('\n')
      .replace(escape(code), `<b>${code}</b>`)
      .replace(escape(address), `<a href="${escape(address)}">${escape(address)}</a>`),
  };
};

export const testMessage = (to: string): Message => {
  const text = 'Your Agent Treasury can send e-mail through this server.';
  return { to, subject: 'A test of your Agent Treasury', text: `${text}\n`, html: `<p>${text}</p>` };
};

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
