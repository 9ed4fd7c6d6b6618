// The sign-in settings of link sessions: identities beside the owner, the mail server, the identity provider.
import { Divider } from '@mantine/core';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { Identities } from './Identities.tsx';
import { MailServer } from './MailServer.tsx';
import { Provider } from './Provider.tsx';

const note =
  'People and accounts that can link a machine at the page that “treasury link” opens. You can always do it yourself, in Approvals.';

export const LinkSignIn = () => {
  const { data, error, refetch } = useOwner('getSignIn');
  return (
    <Panel title="Let other people link" note={note}>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          <Identities identities={data.identities} provider={data.provider?.name ?? null} />
          <Divider />
          {/* A new key remounts a form when its saved values change. */}
          <MailServer key={`mail ${JSON.stringify(data.mailServer)}`} kept={data.mailServer} />
          <Divider />
          <Provider
            key={`provider ${JSON.stringify(data.provider)}`}
            kept={data.provider}
            redirectUris={[data.redirectUri, data.publicRedirectUri].filter((one) => one !== null)}
          />
        </>
      )}
    </Panel>
  );
};
