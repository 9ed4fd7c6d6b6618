// The routes of /v1 whose reply is a stream or a document of its own, not JSON from an operation.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { healthProof } from '../contract/host/health-proof.ts';
import type { Ending } from '../contract/host/proof-text.ts';
import type { Body, Query } from '../contract/schemas.ts';
import type { AgentEvent } from '../contract/agents/agent-events.schemas.ts';
import { keyByFingerprint, keyOf } from '../engine/api/credentials.ts';
import { agentEventsOf } from '../engine/calls/agent-events.ts';
import type { Engine } from '../engine/engine.ts';
import { paymentNamed, taskNamed } from '../engine/api/path.ts';
import type { Pictures } from '../engine/ports.ts';
import { statement, type Period } from '../engine/api/statement.ts';
import { zoneNamed } from '../engine/calls/zone.ts';
import { AppError } from '../errors.ts';
import type { Door } from '../lib/net/public-url.ts';
import { bearerOf } from '../http/auth.ts';
import { doorOf } from '../http/door.ts';
import { streamEvents, type Subscribe } from '../http/events.ts';
import { createOpenapi } from '../http/openapi.ts';
import type { OwnerTokens } from '../http/owner-token.ts';
import type { PageTickets } from '../http/page-tickets.ts';
import type { PublicAddress } from '../http/public-address.ts';
import type { Streams } from '../http/router.ts';
import { whenOver } from '../http/when-over.ts';
import { writePiece } from '../http/streamed.ts';
import type { Exports } from '../books/exports.ts';
import { bookStreams } from './book-stream.ts';
import { sendPaced } from './paced.ts';

/** Streams of one agent at once: each holds a socket and what its reader has not read. */
const mostStreams = 16;

const agentStream = ({
  engine,
  tokens,
  doors,
}: Pick<StreamsDeps, 'engine' | 'tokens' | 'doors'>): Streams['agentEvents'] => {
  const { store, time } = engine.context;
  const open = new Map<string, number>();
  const count = (agentId: string, more: 1 | -1): void => {
    const now = (open.get(agentId) ?? 0) + more;
    if (now === 0) open.delete(agentId);
    else open.set(agentId, now);
  };
  return (_query, response, request) => {
    const { agentId = '' } = request.params as Record<string, string>;
    const token = bearerOf(request) ?? '';
    if ((open.get(agentId) ?? 0) >= mostStreams)
      throw new AppError(
        'too_many_requests',
        `This agent has ${mostStreams} event streams open. Close one before you open another.`,
      );
    count(agentId, 1);
    whenOver(response, () => count(agentId, -1));
    const view = agentEventsOf(engine.context, agentId);
    const subscribe: Subscribe<AgentEvent | null> = (tell) =>
      engine.onEvent((event) => {
        try {
          const shown = view(event);
          if (shown === null) tell(null);
          else for (const one of shown) tell(one);
        } catch {
          // The records cannot be read. The publisher must go on; the reader connects anew.
          response.destroy();
        }
      });
    const door = doorOf(response);
    const mayListen = (): boolean =>
      tokens.isOwner(token, door.name) ||
      (doors.isOpen(door) && keyOf(store, token, time.now())?.agentId === agentId);
    streamEvents(response, subscribe, { mayListen, mostBehind: 65_536 });
    whenOver(
      response,
      doors.onClosed(() => void (mayListen() || response.destroy())),
    );
  };
};

const ownerStream =
  ({ onEvent, tokens }: Pick<StreamsDeps, 'onEvent' | 'tokens'>): Streams['events'] =>
  (_query, response, request) => {
    const token = bearerOf(request) ?? '';
    const { name } = doorOf(response);
    const mayListen = (): boolean => tokens.isOwner(token, name);
    streamEvents(response, onEvent, { mayListen, mostBehind: 1_048_576 });
  };

interface StreamsDeps {
  engine: Engine;
  onEvent: Subscribe;
  tokens: OwnerTokens;
  tickets: Pick<PageTickets, 'hashOf'>;
  pictures: Pictures;
  exports: Exports;
  doors: Pick<PublicAddress, 'isOpen' | 'onClosed'>;
}

type Proving = Pick<StreamsDeps, 'engine' | 'tokens' | 'tickets'>;

/** With a nonce: the proof that this host knows the API key or session of a fingerprint, or the ticket of a page. */
const healthOf =
  (deps: Proving): Streams['health'] =>
  (query, response) => {
    const { nonce } = query as Query<'health'>;
    const door = doorOf(response);
    const known = knownOf(deps, query as Query<'health'>, door);
    if (nonce === undefined || known === null) return void response.json({ ok: true });
    const { hash, ended } = known;
    const proof = healthProof(hash, nonce, door.url, ended);
    response.json({ ok: true, proof, ...(ended === null ? {} : { ended }) });
  };

const knownOf = (
  { engine, tokens, tickets }: Proving,
  { key, page }: Query<'health'>,
  door: Door,
): { hash: string; ended: Ending | null } | null => {
  if (page !== undefined) return { hash: tickets.hashOf(page, door), ended: null };
  if (key === undefined) return null;
  const { store, time } = engine.context;
  return (
    tokens.sessions.byFingerprint(key, door.name) ?? {
      // Unknown ones get a random proof: no oracle for valid ones.
      hash: keyByFingerprint(store, key, time.now())?.hash ?? randomBytes(32).toString('hex'),
      ended: null,
    }
  );
};

export const streamsOf = ({
  engine,
  onEvent,
  tokens,
  tickets,
  pictures,
  exports,
  doors,
}: StreamsDeps): Streams => {
  const openapi = createOpenapi();
  return {
    health: healthOf({ engine, tokens, tickets }),
    openapi: (_query, response) => void response.json(openapi(doorOf(response).url)),
    events: ownerStream({ onEvent, tokens }),
    agentEvents: agentStream({ engine, tokens, doors }),
    endSession(_query, response, request) {
      tokens.revoke(bearerOf(request) ?? '', doorOf(response).name);
      response.json({ ended: true });
    },
    admitPage(_query, response, request) {
      const { pageId } = request.body as Body<'admitPage'>;
      response.json({
        admitted: tokens.sessions.admit(bearerOf(request) ?? '', pageId, doorOf(response).name),
      });
    },
    async taskImage(_query, response, request) {
      const { agentId = '', taskId = '' } = request.params as Record<string, string>;
      const { id, image } = taskNamed(engine.context, taskId, agentId);
      if (image === null) throw new AppError('not_found', 'This task has no picture.');
      const bytes = await pictures.read(id, image);
      response.setHeader('Content-Type', image.mediaType);
      response.setHeader('Content-Disposition', `inline; filename="${id}.${image.mediaType.slice(6)}"`);
      response.setHeader('ETag', `"${image.sha256}"`);
      response.end(bytes);
    },
    async answer(_query, response, request) {
      const { agentId = '', paymentId = '' } = request.params as Record<string, string>;
      const transfer = paymentNamed(engine.context, agentId, paymentId);
      const { status, headers, body } = engine.kept.need(transfer);
      response.setHeader('X-Seller-Status', status);
      response.setHeader(
        'X-Seller-Content-Type',
        (headers['content-type'] ?? '').replaceAll(/[^\x20-\x7e]/g, ''),
      );
      // A seller's bytes served from our origin: no browser may render them as one of our pages.
      response.setHeader('Content-Type', 'application/octet-stream');
      response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
      response.setHeader('Content-Length', body.bytes);
      for await (const piece of body.read()) {
        if (!(await writePiece(response, piece))) return;
        await nextTurn();
      }
      response.end();
    },
    ...bookStreams(engine.context, exports),
    async statement(query, response) {
      const period = query as Period;
      response.setHeader(
        'Content-Type',
        period.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
      );
      response.setHeader('Content-Disposition', `attachment; filename="statement.${period.format}"`);
      response.setHeader('X-Statement-Zone', zoneNamed(engine.context, period.zone));
      if (!(await sendPaced(engine.context.store, response, statement(engine.context, period)))) return;
      response.end();
    },
  };
};
