// Spending by day as bars, one color for each of the largest; what is settling is hatched. A day leads to its payments,
// from the keyboard too. Beside it, for screen readers, stands a table of the same figures.
import { ColorSwatch, Group, Text } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { Amount } from '../../shared/ui/Amount.tsx';
import { countedUse } from '../../shared/format.ts';
import chart from '../../shared/chart/chart.module.css';
import { ChartFrame } from '../../shared/chart/ChartFrame.tsx';
import styles from './overview.module.css';
import { isUsed, type Day } from './spending-data.ts';

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

export const SpendingChart = ({ days, series, nameOf, colorOf }: SpendingChartProps) => {
  const [pointed, setPointed] = useState<Day | null>(null);
  const linked = days.filter(isUsed);
  const day = pointed !== null && isUsed(pointed) ? pointed : linked.at(-1);
  const move = ({ key }: KeyboardEvent): void => {
    const next =
      linked[linked.findIndex((one) => one === day) + ({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0)];
    if (next !== undefined) setPointed(next);
  };
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
        onKeyDown={move}
      >
        {(heightOf) => (
          <>
            <Hatching />
            {days.map((one, index) => (
              <Bar
                key={one.day}
                day={one}
                place={{ index, count: days.length }}
                heightOf={heightOf}
                series={series}
                colorOf={colorOf}
                isPointed={one === pointed}
                onPoint={() => setPointed(one)}
              />
            ))}
            {day !== undefined && (
              <DayLink
                day={day}
                x={days.indexOf(day) / days.length}
                width={1 / days.length}
                onFocus={() => setPointed(day)}
              />
            )}
          </>
        )}
      </ChartFrame>
      <Text aria-hidden c="dimmed" mih={22}>
        {pointed === null ? 'Select a day to see its payments.' : <Figures day={pointed} />}
      </Text>
    </div>
  );
};

interface BarProps {
  day: Day;
  place: { index: number; count: number };
  heightOf: (amount: number) => number;
  series: readonly string[];
  colorOf: (id: string) => string;
  isPointed: boolean;
  onPoint: () => void;
}

const Bar = (props: BarProps) => {
  const { day, place, heightOf, series, colorOf, isPointed, onPoint } = props;
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
  return (
    <g onPointerEnter={onPoint}>
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
    </g>
  );
};

interface DayLinkProps {
  day: Day;
  /** Parts of the whole width. */
  x: number;
  width: number;
  onFocus: () => void;
}

/** The day that is pointed at, or the last: one link, which the arrow keys move. */
const DayLink = ({ day: { day, total, ...use }, x, width, onFocus }: DayLinkProps) => (
  // Requests to language models are no transfers, which Activity lists.
  <Link href={use.payments === 0 ? '/catalog/models' : `/activity?from=${day}&to=${day}`} asChild>
    <a
      className={styles['day']}
      aria-label={`${dayName(day)}: ${total} USDC in ${countedUse(use)}, ${use.payments === 0 ? 'under Models' : 'in Activity'}`}
      onFocus={onFocus}
    >
      <rect className={styles['slot']} x={`${100 * x}%`} width={`${100 * width}%`} height={height} />
    </a>
  </Link>
);

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

const Figures = ({ day: { day, total, ...use } }: { day: Day }) => (
  <>
    {dayName(day)}: <Amount value={total} /> in {countedUse(use)}
  </>
);
