// The public address: a second door beside the local one, through a tunnel of the owner's. It opens, moves and closes while
// the host runs.
import type { Body, Reply } from '../contract/schemas.ts';
import type { Call, Operation, Store } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Door, OwnOrigins } from '../lib/net/public-url.ts';
import type { Log } from '../log.ts';

export interface PublicAddress {
  /** The public origin; null while there is no such door. */
  url(): string | null;
  /** Whether this door is still one of ours. */
  isOpen(door: Door): boolean;
  /** Whether the owner may be signed in at this door. */
  admitsOwner(door: Door): boolean;
  operations: {
    getPublicAddress: Operation<'getPublicAddress'>;
    setPublicAddress: Operation<'setPublicAddress'>;
  };
  /** Calls back after every change that ends what came through the public door. Returns a function that unsubscribes. */
  onClosed(listen: () => void): () => void;
}

interface PublicAddressDeps {
  /** As the start gave it; it wins over the setting. */
  given: string | null;
  store: Pick<Store, 'publicAddress' | 'atomically'>;
  log: Log;
}

interface State extends PublicAddressDeps {
  listeners: Set<() => void>;
}

/** An owner comes in there only at the address for which the switch was turned on. */
export const createPublicAddress = (deps: PublicAddressDeps): PublicAddress => {
  const state: State = { ...deps, listeners: new Set() };
  return {
    url: () => urlOf(state),
    isOpen: (door) => isOpen(state, door),
    admitsOwner: (door) => isOpen(state, door) && (door.name === 'local' || hasOwnerSessions(state)),
    operations: {
      getPublicAddress: ({ door }) => done(view(state, door)),
      setPublicAddress: (call) => done(set(state, call)),
    },
    onClosed(listen) {
      state.listeners.add(listen);
      return () => void state.listeners.delete(listen);
    },
  };
};

/** All origins at which this host answers. @param local its own address */
export const ownOriginsOf =
  (local: string, { url }: Pick<PublicAddress, 'url'>): OwnOrigins =>
  () =>
    [local, url()].filter((one) => one !== null);

const done = <B>(body: B) => ({ kind: 'done' as const, body });

const urlOf = ({ given, store }: State): string | null => given ?? store.publicAddress.get().url;

const hasOwnerSessions = (state: State): boolean => {
  const url = urlOf(state);
  return url !== null && state.store.publicAddress.get().ownerSessionsAt === url;
};

const isOpen = (state: State, { name, url }: Door): boolean => name === 'local' || url === urlOf(state);

const view = (state: State, door: Door): Reply<'getPublicAddress'> => ({
  url: urlOf(state),
  ownerSessions: hasOwnerSessions(state),
  givenAtStart: state.given !== null,
  mayChange: door.name === 'local',
});

/** @throws AppError `forbidden` at the public door, `conflict` for another address than the start gave, `bad_request` */
const set = (
  state: State,
  { body, door }: Pick<Call<'setPublicAddress'>, 'body' | 'door'>,
): Reply<'setPublicAddress'> => {
  if (door.name !== 'local')
    throw new AppError(
      'forbidden',
      'The public address is changed on the treasury’s own machine alone. Do it there, in Settings.',
    );
  const before = view(state, door);
  change(state, body, before);
  const after = view(state, door);
  const { url, ownerSessions } = after;
  if (url === before.url && ownerSessions === before.ownerSessions) return after;
  state.log.info({ url, ownerSessions }, 'the public address has changed');
  // Less than before, or another place: nobody stays in.
  if (url !== before.url || !ownerSessions) for (const tell of state.listeners) tell();
  return after;
};

const change = (
  { given, store }: State,
  { url: wanted, ownerSessions }: Body<'setPublicAddress'>,
  before: Reply<'getPublicAddress'>,
): void => {
  if (given !== null && wanted !== undefined && wanted !== given)
    throw new AppError(
      'conflict',
      `The treasury was started with --public-url ${given}. Start it without that option to change the address here.`,
    );
  const url = wanted === undefined ? before.url : wanted;
  const isOn = ownerSessions ?? (url === before.url && before.ownerSessions);
  if (url === null && isOn) throw fieldError('ownerSessions', 'needs a public address: send url with it');
  store.atomically(() =>
    store.publicAddress.set({
      url: given === null ? url : store.publicAddress.get().url,
      ownerSessionsAt: isOn ? url : null,
    }),
  );
};
