// The routes of the cold treasury. Free of zod, as routes.ts is.
import { owner, type Route } from './route.ts';

export const coldRoutes = {
  getCold: owner('GET /v1/cold', 'The cold treasury, and what may still be drawn on it'),
  setCold: owner(
    'POST /v1/cold',
    'Draw allocations on the USDC account of this address, as far as its owner allows it on the chain',
  ),
  forgetCold: owner('DELETE /v1/cold', 'Draw on it no more, once its owner has revoked the allowance'),
  stopDrawing: owner('POST /v1/cold/stop', 'Draw nothing until you resume; binds this treasury, not a thief'),
  resumeDrawing: owner('POST /v1/cold/resume', 'Draw on it again'),
  pauseDrawing: owner(
    'POST /v1/cold/pause',
    'Draw nothing for two minutes, while the owner signs another allowance; or end that',
  ),
} as const satisfies Record<string, Route>;
