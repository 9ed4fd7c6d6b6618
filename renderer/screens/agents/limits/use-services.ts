// The first page of the catalog's services.
import type { Reply } from '../../../../server/contract/schemas.ts';
import { useOwner } from '../../../stores/queries.ts';
import type { ServiceNames } from './policy-sentence.ts';

type Service = Reply<'searchServices'>['results'][number];

const none: readonly Service[] = [];

export const useServices = (q = ''): { services: readonly Service[]; names: ServiceNames } => {
  const services = useOwner('searchServices', { query: { q, limit: '100' } }).data?.results ?? none;
  return { services, names: new Map(services.map((one) => [one.id, toldApart(one, services)])) };
};

/** Sellers choose their names: of two that are alike, each says where it is. */
const toldApart = ({ id, name, origin }: Service, all: readonly Service[]): string =>
  all.some((other) => other.id !== id && other.name === name)
    ? `${name} (${origin.replace(/^https?:\/\//, '') || id})`
    : name;
