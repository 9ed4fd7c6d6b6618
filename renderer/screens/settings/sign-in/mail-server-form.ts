// Converts the mail server to the values of its form, and back.
import type { Input, Reply } from '../../../../server/contract/schemas.ts';

export type KeptMailServer = Reply<'getSignIn'>['mailServer'];
type MailServer = NonNullable<NonNullable<Input<'setMailServer'>['body']>['mailServer']>;

export interface MailServerValues {
  host: string;
  port: string;
  security: MailServer['security'];
  /** Empty for none. */
  user: string;
  /** Empty keeps the saved one. */
  password: string;
  from: string;
}

export const securities = [
  { value: 'tls', label: 'TLS (465)' },
  { value: 'starttls', label: 'STARTTLS (587)' },
  { value: 'none', label: 'None: this machine only' },
];

export const mailServerFields = ['host', 'port', 'security', 'user', 'password', 'from'] as const;

export const valuesOf = (kept: KeptMailServer): MailServerValues => ({
  host: kept?.host ?? '',
  port: String(kept?.port ?? 587),
  security: kept?.security ?? 'starttls',
  user: kept?.user ?? '',
  password: '',
  from: kept?.from ?? '',
});

export const mailServerOf = ({ password, ...values }: MailServerValues): MailServer => ({
  host: values.host.trim(),
  port: Number(values.port),
  security: values.security,
  user: values.user.trim() === '' ? null : values.user.trim(),
  from: values.from.trim(),
  ...(password === '' ? {} : { password }),
});
