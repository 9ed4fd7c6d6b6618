// Image tasks and changes to image models in the store.
import type { ModelChange, NewTask, Task, TaskState } from '../../domain/task.ts';

export type TaskChange = Partial<Pick<Task, 'startedAt' | 'endedAt' | 'image' | 'failure' | 'refund'>>;

export interface TaskStore {
  insert(task: NewTask): Task;
  get(id: string): Task | undefined;
  byCharge(chargeId: string): Task | undefined;
  /** Newest first. */
  list(query: { agentId?: string; state?: TaskState; before?: number; limit: number }): Task[];
  /** Queued, generating, or with an owed refund; oldest first. */
  unsettled(): Task[];
  /** Compare-and-set: null when it is in another state. */
  move(id: string, from: TaskState, to: TaskState, change: TaskChange): Task | null;
  /** Compare-and-set on an owed refund: null when it is no longer owed, or another transfer pays it. */
  refund(id: string, from: Pick<Task, 'refundId'>, change: Pick<Task, 'refund' | 'refundId'>): Task | null;
}

export interface ModelStore {
  changes(): ReadonlyMap<string, ModelChange>;
  change(modelId: string, change: ModelChange): void;
}
