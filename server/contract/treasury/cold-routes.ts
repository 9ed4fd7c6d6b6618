// The routes of the cold treasury. Free of zod, as routes.ts is.
import { owner, type Route } from '../route.ts';

export const coldRoutes = {
  getCold: owner('GET /v1/cold', 'The cold treasury, and what may still be drawn on it'),
  setCold: owner(
    'POST /v1/cold',
    'Draw allocations on the USDC account of this address, as far as its owner allows it on the chain',
  ),
  forgetCold: owner('DELETE /v1/cold', 'Draw on it no more, once its owner has revoked the allowance'),
  stopDrawing: owner('POST /v1/cold/stop', 'Draw nothing until you resume; binds this treasury, not a thief'),
  resumeDrawing: owner('POST /v1/cold/resume', 'Draw on it again'),
  prepareAllowance: owner(
    'POST /v1/cold/allowance',
    'The transaction that sets the allowance, for the cold wallet to sign; draws pause meanwhile',
  ),
  sendAllowance: owner(
    'POST /v1/cold/allowance/send',
    'Send it, signed; refused when the wallet changed anything in it',
  ),
  getAllowance: owner('GET /v1/cold/allowance', 'What became of the last allowance that was sent'),
  pauseDrawing: owner(
    'POST /v1/cold/pause',
    'Draw nothing for two minutes, while the owner signs another allowance; or end that',
  ),
} as const satisfies Record<string, Route>;
