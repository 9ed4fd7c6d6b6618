// Spending by day as bars, one colour for each of the largest; what is settling is hatched. A day leads to its payments;
// the arrow keys move between days. Beside it, for screen readers, stands a table of the same figures.
import { ColorSwatch, Group, Text } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { Amount } from '../../shared/ui/Amount.tsx';
import { counted } from '../../shared/format.ts';
import chart from '../../shared/ui/chart.module.css';
import { ChartFrame } from '../../shared/ui/ChartFrame.tsx';
import styles from './overview.module.css';
import type { Day } from './spending-data.ts';

interface SpendingChartProps {
  days: readonly Day[];
  series: readonly string[];
  nameOf: (id: string) => string;
  colorOf: (id: string) => string;
}

const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayName = (day: string): string => shortDay.format(new Date(day));

const height = 220;
const below = 24;
/** Few enough to stand beside each other on a narrow page. */
const labelEvery = (count: number): number => (count <= 7 ? 1 : 7 * Math.ceil(count / 42));
const sumOfDay = ({ parts, settling }: Day): number =>
  Object.values(parts).reduce((all, part) => all + Math.max(0, part), Math.max(0, settling));

const moveFocus = (event: KeyboardEvent<SVGSVGElement>): void => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll('a')];
  links[links.findIndex((link) => link === document.activeElement) + by]?.focus();
};

export const SpendingChart = ({ days, series, nameOf, colorOf }: SpendingChartProps) => {
  const [pointed, setPointed] = useState<Day | null>(null);
  const stop = pointed !== null && hasPayments(pointed) ? pointed : days.findLast(hasPayments);
  return (
    <div onPointerLeave={() => setPointed(null)}>
      <Legend
        series={series}
        nameOf={nameOf}
        colorOf={colorOf}
        hasSettling={days.some(({ settling }) => settling > 0)}
      />
      <ChartFrame
        most={Math.max(...days.map(sumOfDay))}
        height={height}
        below={below}
        label="Days with payments"
        onKeyDown={moveFocus}
      >
        {(heightOf) => (
          <>
            <Hatching />
            {days.map((day, index) => (
              <Bar
                key={day.day}
                day={day}
                place={{ index, count: days.length }}
                heightOf={heightOf}
                series={series}
                colorOf={colorOf}
                isPointed={day === pointed}
                isStop={day === stop}
                onPoint={() => setPointed(day)}
              />
            ))}
          </>
        )}
      </ChartFrame>
      <Text aria-hidden size="sm" c="dimmed" mih={22}>
        {pointed === null ? (
          'Hover over a day for details, and click it for its payments.'
        ) : (
          <Figures day={pointed} />
        )}
      </Text>
    </div>
  );
};

const hasPayments = ({ payments }: Day): boolean => payments > 0;

interface BarProps {
  day: Day;
  place: { index: number; count: number };
  heightOf: (amount: number) => number;
  series: readonly string[];
  colorOf: (id: string) => string;
  isPointed: boolean;
  /** The Tab key stops at it. */
  isStop: boolean;
  onPoint: () => void;
}

const Bar = (props: BarProps) => {
  const { day, place, heightOf, series, colorOf, isPointed, isStop, onPoint } = props;
  const { index, count } = place;
  const slot = 100 / count;
  const bar = { x: `${slot * (index + 0.15)}%`, width: `${slot * 0.7}%` };
  const heights = [...series.map((id) => day.parts[id] ?? 0), day.settling].map((amount) =>
    heightOf(Math.max(0, amount)),
  );
  const tops = heights.map((_, nth) => height - heights.slice(0, nth + 1).reduce((all, one) => all + one, 0));
  // Counted from today, so that today has a label.
  const fromToday = count - 1 - index;
  const hasLabel = fromToday % labelEvery(count) === 0;
  const isSecond = (fromToday / labelEvery(count)) % 2 === 1;
  const drawn = (
    <>
      <rect
        className={styles['slot']}
        x={`${slot * index}%`}
        width={`${slot}%`}
        height={height}
        data-pointed={isPointed || undefined}
      />
      {series.map((id, nth) => (
        <rect key={id} {...bar} y={tops[nth]} height={heights[nth]} fill={colorOf(id)} />
      ))}
      <rect {...bar} y={tops.at(-1)} height={heights.at(-1)} fill="url(#settling)" />
      {hasLabel && (
        <text
          className={chart['label']}
          data-second={isSecond || undefined}
          x={`${slot * (index + 0.5)}%`}
          y={height + below - 6}
          textAnchor={index === count - 1 ? 'end' : index === 0 ? 'start' : 'middle'}
        >
          {dayName(day.day)}
        </text>
      )}
    </>
  );
  return (
    <g onPointerEnter={onPoint}>
      {hasPayments(day) ? (
        <Link href={`/activity?from=${day.day}&to=${day.day}&kind=payment`} asChild>
          <a
            className={styles['day']}
            tabIndex={isStop ? 0 : -1}
            aria-label={`${dayName(day.day)}: ${day.total} USDC in ${counted(day.payments, 'payment')}, in Activity`}
            onFocus={onPoint}
          >
            {drawn}
          </a>
        </Link>
      ) : (
        drawn
      )}
    </g>
  );
};

const Hatching = () => (
  <defs>
    <pattern
      id="settling"
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
      className={styles['hatching']}
    >
      <line x1="0" y1="0" x2="0" y2="6" />
    </pattern>
  </defs>
);

interface LegendProps extends Pick<SpendingChartProps, 'series' | 'nameOf'> {
  hasSettling: boolean;
  colorOf: (id: string) => string;
}

const Legend = ({ series, nameOf, hasSettling, colorOf }: LegendProps) =>
  series.length < 2 && !hasSettling ? null : (
    <Group gap="xs" mb="xs" aria-hidden>
      {series.map((id) => (
        <Group key={id} gap={6} wrap="nowrap" miw={0}>
          <ColorSwatch color={colorOf(id)} size={10} withShadow={false} />
          <Text size="xs" className="break-anywhere">
            {nameOf(id)}
          </Text>
        </Group>
      ))}
      {hasSettling && <Text size="xs">Hatched: settling</Text>}
    </Group>
  );

const Figures = ({ day: { day, total, payments } }: { day: Day }) => (
  <>
    {dayName(day)}: <Amount value={total} /> in {counted(payments, 'payment')}
  </>
);
