// Version, network and platform of this installation.
import { DataList } from '@mantine/core';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { useConnection } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';

const protections = {
  keychain: 'System keychain',
  'keychain+seal': 'System keychain and passphrase',
  'passphrase-file': 'Passphrase',
  'key-file': 'File of the sandbox',
};

const updates = {
  off: 'By hand',
  idle: 'You have the newest version',
  available: 'A newer version is being fetched',
  ready: 'A newer version will be used from the next start',
};

export const About = () => {
  const { data: about, error } = useOwner('about');
  const desktop = useConnection((state) => state.desktop);
  return (
    <Panel title="About">
      <ErrorNote error={error} />
      {about !== undefined && (
        <DataList size="sm" gap="xs" labelWidth={110}>
          <Fact label="Version">{about.version}</Fact>
          {desktop !== null && <Fact label="Updates">{updates[desktop.updates]}</Fact>}
          <Fact label="Network">{about.network}</Fact>
          <Fact label="Solana server">{about.rpcHost}</Fact>
          <Fact label="Keys">{protections[about.protection]}</Fact>
          <Fact label="Running since">
            <Moment iso={about.startedAt} />
          </Fact>
          <Fact label="Platform">{about.platform}</Fact>
          <Fact label="Node">{about.node}</Fact>
        </DataList>
      )}
    </Panel>
  );
};
