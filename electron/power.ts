// Follows the machine's sleep, wake and shutdown. After a sleep, open transfers are looked up on the chain at once.
import type { PowerMonitor } from 'electron';

interface PowerDeps {
  powerMonitor: Pick<PowerMonitor, 'on'>;
  /** Looks up all open transfers now. */
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
