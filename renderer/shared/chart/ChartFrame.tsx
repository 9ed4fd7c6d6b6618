// The frame of a chart of amounts: an axis with its unit, lines at round amounts, and what is drawn between them.
import type { KeyboardEvent, ReactNode } from 'react';
import { ticksOf } from '../ticks.ts';
import styles from './chart.module.css';

interface ChartFrameProps {
  /** The largest amount. */
  most: number;
  height: number;
  /** Room for labels below. */
  below: number;
  /** Of what can be reached in it; without one, it is for the eye alone. */
  label?: string;
  onKeyDown?: (event: KeyboardEvent<SVGSVGElement>) => void;
  /** @param heightOf of an amount, above the zero line */
  children: (heightOf: (amount: number) => number) => ReactNode;
}

export const ChartFrame = ({ most, height, below, label, onKeyDown, children }: ChartFrameProps) => {
  const ticks = ticksOf(most);
  const top = ticks.at(-1) ?? 0;
  const heightOf = (amount: number): number => (top === 0 ? 0 : (height * amount) / top);
  return (
    <div className={styles['chart']}>
      <div aria-hidden className={styles['ticks']} style={{ height }}>
        {ticks.map((tick) => (
          <span key={tick} style={{ bottom: heightOf(tick) }}>
            {tick.toLocaleString('en', { maximumSignificantDigits: 3 })}
            {tick === top && ' USDC'}
          </span>
        ))}
      </div>
      <svg
        width="100%"
        height={height + below}
        overflow="visible"
        onKeyDown={onKeyDown}
        {...(label === undefined ? { 'aria-hidden': true } : { role: 'group', 'aria-label': label })}
      >
        {ticks.map((tick) => (
          <line
            key={tick}
            className={styles['line']}
            x1="0"
            x2="100%"
            y1={height - heightOf(tick)}
            y2={height - heightOf(tick)}
          />
        ))}
        {children(heightOf)}
      </svg>
    </div>
  );
};
