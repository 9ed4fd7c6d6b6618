// The machine sleeps, wakes and goes down: after a sleep the chain is asked at once what became of what was open.
import type { PowerMonitor } from 'electron';

export interface PowerDeps {
  powerMonitor: Pick<PowerMonitor, 'on'>;
  /** Looks at all open transfers, now. */
  look(): Promise<void>;
  refresh(): void;
  quit(): void;
  failed(error: unknown): void;
}

export const watchPower = ({ powerMonitor, look, refresh, quit, failed }: PowerDeps): void => {
  powerMonitor.on('resume', () => {
    look().then(refresh, failed);
  });
  powerMonitor.on('shutdown', quit);
};
