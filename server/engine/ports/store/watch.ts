// The watch in the store: the owner's choice, what it saw, mutes, and what it keeps in mind.
import type { AgentMemory, ServiceMemory, WatchMute, WatchTrip, Watched } from '../../domain/watch.ts';

export interface WatchStore {
  get(agentId: string): Watched;
  set(agentId: string, watched: Watched): void;
  insertTrip(trip: Omit<WatchTrip, 'seq'>): void;
  trip(id: string): WatchTrip | undefined;
  /** Newest first; `before` is an exclusive cursor by `seq`. */
  trips(query: { agentId?: string; before?: number; limit: number }): WatchTrip[];
  /** Those in force at `now`, in Unix milliseconds. */
  mutes(agentId: string, now: number): WatchMute[];
  mute(mute: WatchMute): void;
  /** False when none is in force. */
  endMute(mute: Pick<WatchMute, 'agentId' | 'rule' | 'about'>, now: number): boolean;
  /** A copy of what is kept in mind: change it, and give it back in the same transaction. */
  agentMemory(agentId: string): AgentMemory | undefined;
  serviceMemory(agentId: string, serviceId: string): ServiceMemory | undefined;
  keepAgent(agentId: string, memory: AgentMemory, now: number): void;
  keepService(agentId: string, serviceId: string, memory: ServiceMemory, now: number): void;
  /** Forgets the services of this agent that were last paid before that time, in Unix milliseconds. */
  forget(agentId: string, before: number): void;
}
