// The treasury's network, and the RPCs through which it is reached.
import { DataList, Text } from '@mantine/core';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { isDesktop, useConnection } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';
import { NetworkForm } from './NetworkForm.tsx';

const names = {
  sandbox: 'Sandbox (test money)',
  devnet: 'Devnet (test money)',
  mainnet: 'Mainnet (real money)',
};

export const Network = () => {
  const desktop = useConnection((state) => state.desktop);
  const { data: about, error } = useOwner('about');
  return (
    <Panel title="Network">
      <ErrorNote error={error} />
      {about !== undefined && (
        <DataList size="sm" gap="xs" labelWidth={110}>
          <Fact label="Network">{names[about.network]}</Fact>
          <Fact label="Solana server">{about.rpcHost}</Fact>
          <Fact label="Second server">{about.secondRpcHost ?? 'None'}</Fact>
        </DataList>
      )}
      {isDesktop ? (
        desktop !== null && <NetworkForm key={desktop.network} desktop={desktop} />
      ) : (
        <Text>
          The treasury reads the chain from this server (its RPC) and sends payments through it. To change it,
          start the treasury again with <code>--network</code>, <code>--rpc</code> and{' '}
          <code>--second-rpc</code>. Each network has its own keys and its own money.
        </Text>
      )}
    </Panel>
  );
};
