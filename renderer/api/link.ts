// The link page's requests over HTTP: without a credential, or with the token from its sign-in.
import { routes } from '../../server/contract/routes.ts';
import type { Input, Reply } from '../../server/contract/schemas.ts';
import { send } from './http.ts';
import { askForHost } from './proof.ts';

type LinkRoute =
  | 'getLink'
  | 'completeLink'
  | 'signInMethods'
  | 'askWallet'
  | 'proveWallet'
  | 'askEmail'
  | 'proveEmail'
  | 'askProvider'
  | 'proveProvider';

interface Asking<N extends LinkRoute> {
  body?: Input<N>['body'];
  bearer?: string;
}

/**
 * Only the host that sent this page gets what signs in.
 * @throws AppError as the treasury refused it; OtherHost; Unreachable when there is no answer
 */
export const askLink = async <N extends LinkRoute>(
  route: N,
  token: string,
  { body, bearer }: Asking<N> = {},
): Promise<Reply<N>> => {
  const { method, path } = routes[route];
  const authorization = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` };
  const init =
    method === 'GET'
      ? { headers: authorization }
      : {
          method,
          headers: { ...authorization, 'Content-Type': 'application/json' },
          body: JSON.stringify(body ?? {}),
        };
  if (method !== 'GET' && bearer === undefined) await askForHost();
  const response = await send(path.replace(':token', encodeURIComponent(token)), init);
  return (await response.json()) as Reply<N>;
};
