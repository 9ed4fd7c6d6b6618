// The routes of notices to the owner. Free of zod, as routes.ts is.
import { owner, type Route } from '../route.ts';

export const noticeRoutes = {
  listNoticeChannels: owner('GET /v1/notices/channels', 'The channels that notices go to; no secrets'),
  addNoticeChannel: owner(
    'POST /v1/notices/channels',
    'Send notices to a webhook, an e-mail address, an ntfy topic or the desktop',
  ),
  changeNoticeChannel: owner(
    'POST /v1/notices/channels/:channelId',
    'Change a channel, or the kinds of notices that go there; only sent fields change',
  ),
  removeNoticeChannel: owner(
    'DELETE /v1/notices/channels/:channelId',
    'Remove a channel; what waits for it fails',
  ),
  testNoticeChannel: owner(
    'POST /v1/notices/channels/:channelId/test',
    'Send a test notice now, and get what the endpoint said',
  ),
  listNotices: owner(
    'GET /v1/notices',
    'The notices of the last 30 days, newest first, and their deliveries',
  ),
  retryNotice: owner(
    'POST /v1/notices/:noticeId/retry',
    'Try a notice again now, for another 24 hours, wherever it waits or has failed',
  ),
  setLowBalance: owner(
    'POST /v1/notices/low-balance',
    'The balance below which an agent’s wallet is low, for all agents or for one',
  ),
} as const satisfies Record<string, Route>;
