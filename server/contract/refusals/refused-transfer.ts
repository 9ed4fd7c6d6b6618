// A transfer's refusal in the owner's words.
import { tellOwner, type Refused } from './to-owner.ts';

interface Entry {
  agentId: string | null;
  service: string;
  serviceId: string | null;
  failure: Refused['failure'] | null;
}

/** Null for what was not refused. */
export const refusalOf = (
  { agentId, service, serviceId, failure }: Entry,
  nameOf: (agentId: string) => string,
): ReturnType<typeof tellOwner> | null =>
  failure === null
    ? null
    : tellOwner({
        agentName: agentId === null ? 'The treasury' : nameOf(agentId),
        service: serviceId === null ? null : { id: serviceId, name: service },
        failure,
      });
