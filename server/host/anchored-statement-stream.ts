// The statement that can be verified, as a document.
import { endIn, momentIn } from '../books/days.ts';
import { anchoredIn } from '../books/anchors.ts';
import { zoneOf } from '../books/context.ts';
import { verifiedStatement } from '../books/verified-statement.ts';
import type { Query } from '../contract/schemas.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import { AppError } from '../errors.ts';
import type { Streams } from '../http/router.ts';
import { sendPaced } from './paced.ts';

export const anchoredStatementStream =
  (context: EngineContext): Streams['anchoredStatement'] =>
  async (query, response) => {
    const { from, to } = query as Query<'anchoredStatement'>;
    const zone = zoneOf(context);
    const period = {
      from: from === undefined ? 0 : momentIn(zone, from),
      to: to === undefined ? Number.MAX_SAFE_INTEGER : endIn(zone, to),
    };
    if (period.to <= period.from)
      throw new AppError('bad_request', 'from: must not be after the end of the period.');
    const anchored = anchoredIn(context, period);
    const [first, last] = [anchored[0], anchored.at(-1)];
    if (first !== undefined && last !== undefined) {
      response.setHeader('X-Books-Zone', zone);
      response.setHeader('X-Books-From', iso(first.facts.from));
      response.setHeader('X-Books-To', iso(last.facts.to));
      response.setHeader(
        'X-Books-Entries',
        anchored.reduce((sum, { facts }) => sum + facts.entries, 0),
      );
    }
    const head = { signer: context.settings.owner, genesis: await context.chain.genesisHash() };
    response.setHeader('Content-Type', 'application/x-ndjson');
    response.setHeader('Content-Disposition', 'attachment; filename="statement.jsonl"');
    if (await sendPaced(context.store, response, verifiedStatement(context, head, period))) response.end();
  };
