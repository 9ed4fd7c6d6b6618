// The new allowance beside the one that it replaces, and the wallets that can sign it.
import { Code, DataList, Stack, Text } from '@mantine/core';
import type { Wallet } from '@wallet-standard/base';
import { useState, useSyncExternalStore } from 'react';
import { coldFaults } from '../../../../server/contract/treasury/cold-faults.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { Address } from '../../../shared/ui/Address.tsx';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { amountRule } from '../../../shared/amount-rule.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Fact } from '../../../shared/ui/Fact.tsx';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { useWork } from '../../../shared/hooks/use-work.ts';
import { WalletButtons } from '../../../shared/ui/WalletButtons.tsx';
import { allWallets, subscribe } from '../../../shared/wallets.ts';
import { isDesktop, useConnection } from '../../../stores/connection.ts';
import { useTreasury } from '../../../stores/treasury.ts';
import { signAllowance, signing } from './sign-allowance.ts';

type Cold = NonNullable<Reply<'getCold'>['cold']>;

interface SetAllowanceProps {
  cold: Cold;
  isRevocation: boolean;
  onSent: () => void;
}

export const SetAllowance = ({ cold, isRevocation, onSent }: SetAllowanceProps) => {
  const [amount, setAmount] = useState('');
  const wrong = isRevocation || amount === '' ? null : amountRule(amount);
  const isReady = isRevocation || (amount !== '' && wrong === null);
  const willBe = isRevocation ? '0.00' : amount.trim();
  return (
    <Stack gap="md">
      <DataList size="sm" gap="xs" labelWidth={110}>
        <Fact label="Wallet">
          <Address value={cold.address} what="address of the cold wallet" />
        </Fact>
        <Fact label="Holds">
          <Amount value={cold.balance} />
        </Fact>
        <Fact label="Left now">
          <Amount value={cold.allowance} />
        </Fact>
        <Fact label="It will be">{isReady ? <Amount value={willBe} /> : 'Enter an amount below'}</Fact>
      </DataList>
      {isRevocation ? (
        <Text>
          After a revocation nobody can draw on it until you set an allowance again. Agents pay from what they
          have.
        </Text>
      ) : (
        <MoneyInput
          label="New allowance"
          description="Replaces what is left now; it is not added to it."
          value={amount}
          error={wrong}
          onChange={(event) => setAmount(event.currentTarget.value)}
        />
      )}
      {cold.fault !== null && cold.fault !== 'delegate' && <Text>{coldFaults[cold.fault]}</Text>}
      {isDesktop ? (
        <InBrowser isRevocation={isRevocation} />
      ) : (
        <Wallets allowance={willBe} isReady={isReady} onSent={onSent} />
      )}
    </Stack>
  );
};

const Wallets = ({
  allowance,
  isReady,
  onSent,
}: {
  allowance: string;
  isReady: boolean;
  onSent: () => void;
}) => {
  const network = useTreasury(({ snapshot }) => snapshot?.network ?? 'sandbox');
  const wallets = signing(useSyncExternalStore(subscribe, allWallets));
  const [asked, setAsked] = useState<string | null>(null);
  const sign = useWork(async (wallet: Wallet) => {
    setAsked(wallet.name);
    await signAllowance(wallet, { allowance, network });
    onSent();
  });
  if (wallets.length === 0)
    return (
      <Text role="status">
        This browser has no wallet for Solana. Unlock or add its extension, and it appears here; or use the
        command for a Ledger under Treasury.
      </Text>
    );
  return (
    <Stack gap="sm">
      <Text>Sign with the cold wallet. It pays the network fee, and shows what it signs.</Text>
      <WalletButtons
        wallets={wallets}
        busy={sign.isBusy ? asked : null}
        isReady={isReady}
        onChoose={(wallet) => void sign.run(wallet)}
      />
      <ErrorNote error={sign.error} />
    </Stack>
  );
};

/** The desktop's window has no extensions. */
const InBrowser = ({ isRevocation }: { isRevocation: boolean }) => {
  const port = useConnection(({ desktop }) => desktop?.port);
  return (
    <Text>
      Wallets live in a browser. Open{' '}
      <Code>{`http://127.0.0.1:${port ?? 4402}/#/treasury/allowance${isRevocation ? '/revoke' : ''}`}</Code>{' '}
      in the one that has yours, and sign in there.
    </Text>
  );
};
