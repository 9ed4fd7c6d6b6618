// Anyone who reaches this host may ask the owner for something: a login, a link. A flood of requests must refuse no other
// caller, and must not push out what the owner is looking at. Requests of callers that this host knows have a room of
// their own, and so have those of each door.
import { doorNames, type DoorName } from './net/public-url.ts';

/** A request that waits for the owner. */
export interface Waiting {
  /** By which it came. */
  door: DoorName;
  /** This host knows the caller. */
  isKnown: boolean;
  /** The owner was shown it. */
  isShown: boolean;
  /** Its caller polls for the decision. */
  isPolled: boolean;
}

type Room = Pick<Waiting, 'isKnown' | 'door'>;

const rooms: readonly Room[] = [true, false].flatMap((isKnown) =>
  doorNames.map((door) => ({ isKnown, door })),
);

const isIn =
  ({ isKnown, door }: Room) =>
  (one: Room): boolean =>
    one.isKnown === isKnown && one.door === door;

const mostPending = 20;
/** Below `mostPending`, so that there are always places for requests not shown yet. */
const mostShown = 10;

/**
 * The request that gives way to a further one; undefined while there is room. It is the oldest that is not polled, then
 * the oldest, and never one that the owner was shown.
 * @param waiting oldest first
 */
export const givesWay = <T extends Waiting>(waiting: readonly T[], further: Room): T | undefined => {
  const room = waiting.filter(isIn(further));
  if (room.length < mostPending) return undefined;
  return room
    .filter(({ isShown }) => !isShown)
    .toSorted((a, b) => Number(a.isPolled) - Number(b.isPolled))[0];
};

/** The requests that count as shown once the owner has looked: in each room the first. @param waiting oldest first */
export const shownNext = <T extends Waiting>(waiting: readonly T[]): T[] =>
  rooms.flatMap((one) => {
    const room = waiting.filter(isIn(one));
    const left = mostShown - room.filter(({ isShown }) => isShown).length;
    return room.filter(({ isShown }) => !isShown).slice(0, Math.max(0, left));
  });
