// One line of `treasury doctor`.

export interface Check {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  found: string;
  /** What to do about it. */
  next?: string;
}
