// The chart's figures for screen readers.
import { VisuallyHidden } from '@mantine/core';
import { sumOf } from '../../shared/amounts.ts';
import type { Day } from './spending-data.ts';

export const SpendingTable = ({ days }: { days: readonly Day[] }) => (
  <VisuallyHidden>
    <table>
      <caption>
        Spent by day: {sumOf(days.map(({ total }) => ({ amount: total })))} USDC in {days.length} days. Days
        without spending are left out.
      </caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">USDC</th>
          <th scope="col">Payments</th>
        </tr>
      </thead>
      <tbody>
        {days
          .filter(({ payments }) => payments > 0)
          .map(({ day, total, payments }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{total}</td>
              <td>{payments}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </VisuallyHidden>
);
