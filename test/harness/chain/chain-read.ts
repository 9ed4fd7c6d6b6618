// For a treasury whose clock was put ahead: waits until it has read the chain by the new time.
import { until, type Treasury } from '../treasury.ts';

const dayMs = 86_400_000;

/** @param now what the treasury's clock shows */
export const chainRead = ({ host }: Pick<Treasury, 'host'>, now: () => number): Promise<unknown> => {
  const { funds } = host.engine.context;
  return until('the chain to be read', async () => {
    await funds.compare();
    return (funds.enteredUntil() ?? 0) > now() - dayMs;
  });
};
