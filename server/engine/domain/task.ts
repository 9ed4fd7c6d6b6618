// Pictures that agents ask for, and the owner's changes to image models.
import type { Usdc } from '../../money.ts';

export const resolutions = ['1k', '2k', '4k'] as const;
export type Resolution = (typeof resolutions)[number];

export const taskStates = ['queued', 'generating', 'success', 'failed'] as const;
export type TaskState = (typeof taskStates)[number];
export const refundStates = ['owed', 'paid', 'void'] as const;

/** A picture that an agent asked for. Its charge is a transfer, and so is its refund. */
export interface Task {
  seq: number;
  id: string;
  agentId: string;
  modelId: string;
  modelName: string;
  prompt: string;
  resolution: Resolution;
  cost: Usdc;
  chargeId: string;
  state: TaskState;
  createdAt: number;
  /** When its provider was asked. */
  startedAt: number | null;
  endedAt: number | null;
  image: StoredImage | null;
  failure: { code: string; message: string } | null;
  /** `owed` from the failure on, `paid` once the refund is final, `void` when none is due. */
  refund: (typeof refundStates)[number] | null;
  /** The transfer of the latest attempt to refund. */
  refundId: string | null;
}

export type NewTask = Pick<
  Task,
  'id' | 'agentId' | 'modelId' | 'modelName' | 'prompt' | 'resolution' | 'cost' | 'chargeId' | 'createdAt'
>;

/** A picture on disk, as the decoder read it. */
export interface StoredImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
}

/** The owner's changes to an image model. */
export interface ModelChange {
  enabled: boolean | null;
  pricing: Readonly<Partial<Record<Resolution, string>>>;
}
