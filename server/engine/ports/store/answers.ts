// Sellers' answers in the store.
import type { KeptAnswer } from '../../domain/purchase.ts';

/** The sellers' answers that are kept; their bodies are files. */
export interface AnswerStore {
  keep(answer: KeptAnswer): void;
  get(transferId: string): KeptAnswer | undefined;
  /** The client acknowledged it. False when it had done so before, or nothing is kept. */
  receive(transferId: string, now: number): boolean;
  /** Total bytes kept for the agent. */
  sum(agentId: string): number;
  /** The agent's acknowledged answers, oldest first. */
  received(agentId: string, limit: number): KeptAnswer[];
  /** Answers kept before that time, in Unix milliseconds. */
  before(time: number, limit: number): KeptAnswer[];
  /** Answers after this cursor, ordered by id. */
  after(transferId: string, limit: number): KeptAnswer[];
  remove(transferId: string): void;
  /** The oldest answer of version 0.1, which kept bodies in the database; undefined once all have moved. */
  oldest01(): { answer: KeptAnswer; bytes: Buffer } | undefined;
  /** Removes the answer that `oldest01` gave, so that no page of the database holds it any more. */
  forget01(transferId: string): void;
}
