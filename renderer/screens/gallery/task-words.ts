// The outcome of a task and of its charge in words.
import type { Task } from './filters.ts';

type Refund = NonNullable<Task['refund']>;

const refunds: Record<Refund['status'], (amount: string) => string> = {
  owed: (amount) => `${amount} USDC will be refunded as soon as the treasury can pay it.`,
  pending: (amount) => `Refund of ${amount} USDC on its way.`,
  paid: (amount) => `${amount} USDC refunded.`,
};

export const refundOf = ({ refund }: Pick<Task, 'refund'>): string =>
  refund === undefined ? 'Nothing was charged.' : refunds[refund.status](refund.amount);

/** The amount that it cost in the end, or will if it is made. */
export const costOf = ({ refund, cost, estimatedCost }: Task): string =>
  refund?.status === 'paid' ? '0.00' : (cost ?? estimatedCost);

const endings: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

/** A picture's file name, such as `task_1.png`. */
export const fileNameOf = (taskId: string, mediaType: string): string =>
  `${taskId}.${endings[mediaType] ?? 'bin'}`;

/** `1.2 MB`, `340 kB`. */
export const bytesOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** The content of a data URL; decoded here, since the page's policy forbids fetching it. */
export const blobOf = (dataUrl: string): Blob => {
  const [, type = '', base64 = ''] = /^data:([^;]+);base64,(.*)$/s.exec(dataUrl) ?? [];
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type });
};
