// Checks a treasury after a fault and a start: every key reports its end, and store and chain agree.
import type { Answer } from '../../../harness/http-client.ts';
import type { Sheet } from '../gate.ts';
import type { Look } from './host-process.ts';
import { operations, type OperationName, type Place, type Told } from './operations.ts';

export interface Request {
  operation: OperationName;
  key: string;
}

export interface Tally {
  figures: Record<string, number>;
  failures: string[];
}

/** The figures that have to stay zero. */
export const noFaults = {
  'paid twice': 0,
  'not in the journal': 0,
  'open after recovery': 0,
  'told wrong': 0,
  'acknowledged and lost': 0,
  'keys without an answer': 0,
  'audits not clean': 0,
};

/** Enters all figures: those that must be zero, those for information, and the failures in words. */
export const enter = (
  { exactly, none, tell }: Sheet,
  { figures, failures }: Tally,
  zeros: readonly string[],
): void => {
  for (const [name, value] of Object.entries(figures))
    if (zeros.includes(name)) exactly(name, value, 0);
    else tell(name, value);
  none('findings', failures);
};

/** The values of `Look` for a treasury in order. */
export const allWell = JSON.stringify({
  unexplained: [],
  phantom: [],
  open: [],
  drift: [],
  journal: null,
  spendingDrift: [],
  refunds: [],
  fees: [],
  ledgerSum: '0',
});

export const add = (figures: Record<string, number>, name: string, by = 1): void => {
  figures[name] = (figures[name] ?? 0) + by;
};

export const requestsOf = (operation: OperationName, base: string): Request[] =>
  operations[operation].keys(base.replaceAll(' ', '-')).map((key) => ({ operation, key }));

export const isHalted = ({ victim }: Place): Promise<boolean> =>
  victim.client.get('/v1/dashboard').then(
    ({ body }) => typeof body['halted'] === 'string',
    () => victim.isGone(),
  );

/** Sends the requests at once; null for one that the host did not answer. */
export const askAll = (
  place: Place,
  requests: readonly Request[],
  prefer?: string,
): Promise<(Answer | null)[]> =>
  Promise.all(
    requests.map(({ operation, key }) =>
      operations[operation].ask(place, key, prefer).then(
        (answer) => answer,
        () => null,
      ),
    ),
  );

const tellAll = (place: Place, requests: readonly Request[]): Promise<Told[]> =>
  Promise.all(
    requests.map(async ({ operation, key }) =>
      operations[operation].told(place, await operations[operation].ask(place, key)),
    ),
  );

export interface Recovered {
  told: Told[];
  /** Nothing was open any more. */
  quiet: boolean;
  /** It took a proof of expiry. */
  warped: boolean;
}

/** Repeats the keys until they report an end, and nothing is open. */
export const recover = async (place: Place, requests: readonly Request[]): Promise<Recovered> => {
  await tellAll(place, requests);
  let quiet = await place.victim.quiet(3_000);
  const warped = !quiet;
  if (warped) {
    await place.scene.warp();
    quiet = await place.victim.quiet(60_000);
  }
  return { told: await tellAll(place, requests), quiet, warped };
};

const moneyKinds = ['payment', 'allocation', 'charge'];
const openStates = ['reserved', 'signed', 'sent', 'seen', 'unknown'];

export interface Seen extends Recovered {
  /** The fault, in words. */
  point: string;
  /** The host's answers during the fault. */
  answers: readonly (Answer | null)[];
  before: Pick<Look, 'rows'>;
  after: Pick<Look, 'rows' | 'audit'>;
  /** Every transaction that left the host since `before`. */
  sent: readonly string[];
}

export const judge = (seen: Seen, { figures, failures }: Tally): void => {
  const { point, answers, before, after, sent, told, quiet } = seen;
  const found = (name: keyof typeof noFaults, what: string, count = 1): void => {
    add(figures, name, count);
    failures.push(`${point}: ${name}: ${what}`);
  };
  const known = new Set(before.rows.map(({ id }) => id));
  const paid = after.rows.filter(
    ({ id, kind, state }) => !known.has(id) && moneyKinds.includes(kind) && state === 'final',
  );
  const twice = paid.length - told.length;
  if (twice > 0) found('paid twice', `${paid.length} payments for ${told.length} keys`, twice);
  const toldPaid = told.filter((one) => one.paid).length;
  if (toldPaid !== paid.length)
    found(
      'told wrong',
      `${toldPaid} are told as paid and ${paid.length} are: ${told.map(({ text }) => text).join()}`,
    );
  const wires = new Set(after.rows.map(({ wire }) => wire));
  const strange = sent.filter((wire) => !wires.has(wire));
  if (strange.length > 0)
    found(
      'not in the journal',
      `${strange.length} transactions were sent and no row has them`,
      strange.length,
    );
  const open = after.rows.filter(({ state }) => openStates.includes(state));
  if (open.length > 0 || !quiet)
    found('open after recovery', open.map(({ id, state }) => `${id} ${state}`).join());
  if (after.audit !== allWell) found('audits not clean', after.audit);
  for (const [index, now] of told.entries()) {
    const answer = answers[index] ?? null;
    if (![200, 202, 502].includes(now.status)) found('keys without an answer', `${now.status} ${now.text}`);
    // An acknowledged outcome stays.
    else if (answer?.status === 200 && !(now.status === 200 && answer.text.includes(now.id)))
      found('acknowledged and lost', `${answer.text} became ${now.text}`);
    if (now.status === 502) add(figures, 'keys that say it was not paid');
  }
};
