// The owner's view of the anchors, and the switch.
import { done, type EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import { statusOf } from '../engine/domain/states.ts';
import { txSignatureOf } from '../engine/payment/machine/tx-signature.ts';
import type { SomeOperations, Transfer } from '../engine/ports.ts';
import type { Reply } from '../contract/schemas.ts';
import { formatSol, lamports } from '../money.ts';
import { factsOf, type Anchors } from './anchors.ts';

type Shown = Reply<'getAnchors'>;

const mostShown = 30;

export const anchorOperations = (context: EngineContext, anchors: Pick<Anchors, 'look' | 'waiting'>) => {
  const { store, time } = context;
  return {
    getAnchors: () => done(anchorsView(context, anchors)),
    setAnchors({ body: { on } }) {
      if (store.books.isAnchoring() !== on) store.atomically(() => store.books.setAnchoring(on, time.now()));
      void anchors.look();
      return done(anchorsView(context, anchors));
    },
  } satisfies SomeOperations;
};

const anchorsView = (context: EngineContext, anchors: Pick<Anchors, 'waiting'>): Shown => {
  const { store, chain, settings } = context;
  const own = { kind: 'anchor', wallet: settings.owner, payee: settings.owner } as const;
  const rows = store.transfers.list({ kinds: ['anchor'], limit: mostShown });
  const [last] = store.transfers.list({ kinds: ['anchor'], states: ['final'], limit: 1 });
  const until = last === undefined ? null : factsOf(last);
  return {
    on: store.books.isAnchoring(),
    cost: formatSol(lamports(chain.feeLamports(own))),
    signer: settings.owner,
    until: until === null ? null : iso(until.to),
    waiting: anchors.waiting(),
    anchors: rows.flatMap((row) => rowView(row) ?? []),
  };
};

const rowView = (row: Transfer): Shown['anchors'][number] | null => {
  const facts = factsOf(row);
  if (facts === null) return null;
  const { zone, from, to, entries } = facts;
  return {
    anchorId: row.id,
    status: statusOf(row),
    transaction: txSignatureOf(row),
    timestamp: iso(row.createdAt),
    zone,
    from: from === 0 ? null : iso(from),
    to: iso(to),
    entries,
  };
};
