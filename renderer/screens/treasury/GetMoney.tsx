// How money comes in: the address, the steps on a real network, what has arrived, and what to do about what should not have.
import { List, Stack, Text, Title } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { accountSol, firstSol, transferSol } from '../../../server/contract/treasury/network-costs.ts';
import { counted } from '../../shared/format.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { ConditionNotice } from '../../shell/Banners.tsx';
import { useTreasury, type Snapshot } from '../../stores/treasury.ts';
import { Deposits } from './Deposits.tsx';
import { Receive } from './Receive.tsx';

export default function GetMoney() {
  const snapshot = useTreasury((state) => state.snapshot);
  if (snapshot === null) return null;
  const { treasury, network } = snapshot;
  return (
    <Screen title="Get money" back={['/treasury', 'Treasury']}>
      <Amiss snapshot={snapshot} />
      <Receive address={treasury.walletAddress} network={network} />
      {network !== 'sandbox' && (
        <Panel title={network === 'mainnet' ? 'How to send USDC here' : 'How to get test money here'}>
          <Stack gap="md" component="ol" m={0} pl="lg">
            {(network === 'mainnet' ? steps : testSteps).map(([title, text]) => (
              <li key={title}>
                <Title order={3} size="h6">
                  {title}
                </Title>
                <Text>{text}</Text>
              </li>
            ))}
          </Stack>
        </Panel>
      )}
      <Deposits />
      {network !== 'sandbox' && <SomethingElse />}
    </Screen>
  );
}

type Steps = readonly (readonly [title: string, text: ReactNode])[];

const firstAccounts = 10;
const firstTransfers = Math.floor((firstSol - firstAccounts * accountSol) / transferSol / 100) * 100;

const fees: Steps[number] = [
  `Add ${firstSol} SOL for network fees`,
  <>
    Send SOL to the same address. {firstSol} SOL opens {firstAccounts} USDC accounts and pays for{' '}
    {counted(firstTransfers, 'transfer')}: an account takes {accountSol} SOL, once for each agent and for each
    payee that has none; a transfer takes about {transferSol.toFixed(5)} SOL.
  </>,
];

const steps: Steps = [
  [
    'Buy USDC',
    'At an exchange where you have an account, or in a wallet app that sells it. Choose USDC: not USDT, and not a bridged token such as USDC.e.',
  ],
  [
    'Withdraw it on Solana',
    'Choose Withdraw or Send at the exchange, then USDC, and paste the address above. In the field “Network”, choose Solana; some exchanges write SOL or SPL. Never choose Ethereum (ERC-20), Base, Polygon or another network: the money would not arrive here. If Solana is not offered, that exchange cannot send USDC here. Leave a memo or tag empty.',
  ],
  [
    'Send a small amount first',
    'Send 5 USDC, or the least that the exchange allows. Send the rest once the first has arrived below, usually within minutes.',
  ],
  fees,
];

const testSteps: Steps = [
  [
    'Get test USDC',
    'faucet.circle.com gives it for free: choose USDC and Solana Devnet, and paste the address.',
  ],
  [
    'Get test SOL for network fees',
    'faucet.solana.com gives it for free: choose devnet, and paste the address.',
  ],
];

/** Money that arrived wrongly, as far as the treasury sees it. */
const Amiss = ({ snapshot: { treasury, total, conditions, network } }: { snapshot: Snapshot }) => {
  const aside = conditions.find(({ code }) => code === 'aside');
  const hasOnlySol =
    network !== 'sandbox' && !/[1-9]/.test(total.amount) && Number(treasury.spendableSol) > firstSol;
  return (
    <>
      {aside !== undefined && <ConditionNotice condition={aside} />}
      {hasOnlySol && (
        <Notice color="yellow" icon={<IconCoins aria-hidden />} title="SOL has arrived, and no USDC">
          The treasury holds <Amount value={treasury.spendableSol} currency="SOL" /> for network fees. Agents
          pay in USDC. Keep about {firstSol} SOL, withdraw the rest to your exchange, and buy USDC with it.
        </Notice>
      )}
    </>
  );
};

const SomethingElse = () => (
  <Panel title="If something else arrived">
    <List size="sm" spacing="xs">
      <List.Item>
        <b>SOL instead of USDC.</b> It pays network fees only. Withdraw what fees do not need under Treasury,
        to your exchange, and buy USDC with it.
      </List.Item>
      <List.Item>
        <b>Another token, such as USDT.</b> The treasury does not show it and cannot move it. It is not lost:
        a wallet app that you open with your recovery phrase shows it at this address. Send it on from there.
      </List.Item>
      <List.Item>
        <b>USDC in another account of the same wallet.</b> The treasury finds it within minutes, and says on
        this page how to move it.
      </List.Item>
      <List.Item>
        <b>Nothing, after half an hour.</b> Ask the exchange on which network it sent the money, and for the
        transaction. Only the exchange can return what it sent on another network.
      </List.Item>
    </List>
  </Panel>
);
