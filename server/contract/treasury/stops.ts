// The routes of stops.
import type { RouteName } from '../routes.ts';

/** They only stop, end or refuse something, and do so whatever their body is: one that cannot be read is ignored. */
export const stops: readonly RouteName[] = [
  ...(['freeze', 'lock', 'kill', 'stopGroup', 'stopDrawing', 'cancelTask'] as const),
  ...(['denyApproval', 'denyLogin', 'denyLink', 'endSession'] as const),
  ...([
    'revokeKey',
    'endDelegatedKey',
    'revokeGrant',
    'endBoost',
    'endWatchMute',
    'removePhoneWallet',
  ] as const),
];
