// Lists of services by category, and in other orders than the usual one.
import type { Service, ServiceOrder, ServiceQuery } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';

const dayMs = 86_400_000;
const usedDays = 90;

export const usualOrder: NonNullable<ServiceQuery['order']> = { by: 'best', now: 0 };

interface Filter {
  source: Service['source'] | undefined;
  category: string | undefined;
  order: NonNullable<ServiceQuery['order']>;
}

export interface ServiceFinder {
  all(filter: Filter, page: { limit: number; skip: number }): { numbers: number[]; total: number };
  /** Those of `numbers` that fit: in their own order for `best`, which is that of a search. */
  among(numbers: readonly number[], filter: Filter): number[];
  categories(): { category: string; services: number }[];
}

const orders: Record<ServiceOrder, string> = {
  best: 'vanished, preferred DESC, standing DESC, sort_name, service_id',
  used: 'used DESC, vanished, preferred DESC, standing DESC, sort_name, service_id',
  // An amount is text: as a number it is for sorting alone.
  price: 'vanished, price IS NULL, CAST(price AS REAL), sort_name, service_id',
  name: 'sort_name, service_id',
};

const none = '0 AS used';
const recently = 'coalesce(sums.used, 0) AS used';
const sums = /* sql */ `LEFT JOIN (SELECT service_id AS paid, sum(payments) AS used FROM spending_day
  WHERE day > @since GROUP BY service_id) AS sums ON paid = service_id`;

const from = ({ category, source, order: { by } }: Filter): string => /* sql */ `
  FROM (SELECT service_facts.*, price, category, ${by === 'used' ? recently : none}
    FROM service_facts JOIN service ON id = service_id ${by === 'used' ? sums : ''}
    WHERE listed = 1
      ${source === undefined ? '' : 'AND service_facts.source = @source'}
      ${category === undefined ? '' : 'AND category = @category'})`;
const valuesOf = ({ source, category, order }: Filter): Record<string, unknown> => ({
  ...(source === undefined ? {} : { source }),
  ...(category === undefined ? {} : { category }),
  ...(order.by === 'used' ? { since: Math.floor(order.now / dayMs) - usedDays } : {}),
});

export const createServiceFinder = (db: Db): ServiceFinder => {
  const categories = db.prepare(/* sql */ `
    SELECT category, count(*) AS n FROM service_facts JOIN service ON id = service_id
    WHERE listed = 1 AND category <> '' GROUP BY category ORDER BY n DESC, category LIMIT 100`);
  return {
    categories: () => categories.all().map(toCategory),
    all(filter, { limit, skip }) {
      const values = valuesOf(filter);
      const rows = db.prepare(
        `SELECT number ${from(filter)} ORDER BY ${orders[filter.order.by]} LIMIT @limit OFFSET @skip`,
      );
      const count = db.prepare(`SELECT count(*) AS n ${from({ ...filter, order: usualOrder })}`);
      const { since: _, ...counted } = values;
      return {
        numbers: rows.all({ ...values, limit, skip }).map(toNumber),
        total: toCount(count.get(counted)),
      };
    },
    among(numbers, filter) {
      const order = filter.order.by === 'best' ? 'place' : orders[filter.order.by];
      const rows = db.prepare(/* sql */ `
        SELECT number FROM (SELECT found.*, place.key AS place
          FROM json_each(@numbers) AS place JOIN (SELECT * ${from(filter)}) AS found ON number = place.value)
        ORDER BY ${order}`);
      return rows.all({ ...valuesOf(filter), numbers: JSON.stringify(numbers) }).map(toNumber);
    },
  };
};

const toNumber = mapper('service_facts', (row) => row.integer('number'));
const toCategory = mapper('service', (row) => ({
  category: row.text('category'),
  services: row.integer('n'),
}));
const toCount = mapper('service_facts', (row) => row.integer('n'));
