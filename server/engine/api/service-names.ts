// The names of services in limits and allow-lists, in the form that a payment's service is compared in: the id of a
// service of the catalog, or an origin for a seller outside it. A name that no service has yet is kept and reported beside
// the limits, since a service may get it; a name that no service can ever have is refused.
import type { ChangeOf, ServiceLimitsChange } from '../../contract/limits/service-limits.ts';
import { fieldError } from '../../errors.ts';
import type { Limits, Store } from '../ports.ts';

interface Catalog {
  store: Pick<Store, 'services'>;
}
type Naming = Pick<Limits, 'allowedServices' | 'serviceLimits'>;

const namesIn = ({ allowedServices, serviceLimits }: Naming): string[] => [
  ...new Set([...(allowedServices ?? []), ...Object.keys(serviceLimits ?? {})]),
];

/** The names in these limits that are no origin, and that no service has that the catalog lists. */
export const unknownServices = ({ store }: Catalog, limits: Naming): string[] =>
  namesIn(limits).filter((name) => !isOrigin(name) && store.services.listed(name) === undefined);

const isOrigin = (name: string): boolean =>
  /^https?:/.test(name) && URL.canParse(name) && new URL(name).origin === name;

/**
 * A change of limits with each name of a service in the form that is compared. Names that the limits hold already stay
 * as they are, so that they can be kept, and taken away.
 * @throws AppError `bad_request` naming the field, for an address with a path and a host without a scheme
 */
export const withServiceNames = <L extends Naming>(
  { store }: Catalog,
  limits: L,
  change: ChangeOf<L>,
): ChangeOf<L> => {
  const held = new Set(namesIn(limits));
  const nameOf = (field: keyof Naming, name: string): string =>
    held.has(name) || store.services.get(name) !== undefined ? name : formOf(field, name.trim());
  const { allowedServices, serviceLimits } = change as ChangeOf<Naming>;
  return {
    ...change,
    ...(allowedServices == null
      ? {}
      : { allowedServices: [...new Set(allowedServices.map((name) => nameOf('allowedServices', name)))] }),
    ...(serviceLimits == null
      ? {}
      : { serviceLimits: byName(serviceLimits, (name) => nameOf('serviceLimits', name)) }),
  };
};

const byName = (change: ServiceLimitsChange, nameOf: (name: string) => string): ServiceLimitsChange => {
  const named = Object.entries(change).map(([name, limit]) => [nameOf(name), limit] as const);
  const twice = named.find(([name], at) => named.findIndex(([other]) => other === name) < at);
  if (twice !== undefined) throw fieldError('serviceLimits', `must name the service ${twice[0]} once`);
  return Object.fromEntries(named);
};

/** A host as people type it: with a port, or with an ending of letters, as an IPv4 address, or `localhost`. */
const bareHost = /^(([\w-]+\.)+[a-z]{2,}|(\d+\.){3}\d+|localhost|[\w.-]+(?=:))(:\d+)?\/?$/i;

const formOf = (field: keyof Naming, name: string): string => {
  if (name === '') throw fieldError(field, 'must name services, and one of its names is empty');
  if (bareHost.test(name))
    throw fieldError(
      field,
      `must name a seller outside the catalog by its origin: write https://${name.replace(/\/$/, '').toLowerCase()} in place of ${name}, or http:// for a seller without encryption`,
    );
  if (!/^https?:/i.test(name)) return name;
  const url = URL.canParse(name) ? new URL(name) : null;
  if (url === null || url.host === '')
    throw fieldError(
      field,
      `must name services of the catalog, or origins such as https://api.example.com; ${JSON.stringify(name)} is neither`,
    );
  if (url.href !== `${url.origin}/`)
    throw fieldError(
      field,
      `must name services of the catalog, or an origin such as ${url.origin} without a path; ${JSON.stringify(name)} has more`,
    );
  return url.origin;
};
