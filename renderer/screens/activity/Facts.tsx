// Both ends of a transfer, its purpose, and its network fee.
import { Anchor, Button, DataList, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { isFeeSellers, isZero } from '../../shared/status.ts';
import { Fact } from '../../shared/ui/Fact.tsx';
import { pathOfService } from '../catalog/service-words.ts';
import type { Transfer } from '../../../server/contract/payments/steps.ts';
import { IconExternalLink } from '@tabler/icons-react';
import { askDesktop } from '../../api/desktop.ts';
import { notifyFailure } from '../../shared/notify.ts';
import { isDesktop } from '../../stores/connection.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { explorerUrl } from './explorer.ts';

const nobodys = (kind: Transfer['kind']): string =>
  kind === 'anchor' ? 'None: the treasury made it' : 'None: you made this transfer';

export const Facts = ({ transfer }: { transfer: Transfer }) => {
  const { id, kind, agentId, service, serviceId, wallet, source, payee } = transfer;
  const { txSignature, feeSol, rentSol, invoice, purchase } = transfer;
  return (
    <DataList size="sm" gap="sm" labelWidth={110}>
      {agentId === null && <Fact label="Agent">{nobodys(kind)}</Fact>}
      {serviceId !== null && <Service id={serviceId} name={service} />}
      <From wallet={wallet} source={source} />
      <Fact label="To">
        <Address value={payee} what="payee’s address" mayLabel />
      </Fact>
      {purchase !== null && (
        <Fact label="For">
          {purchase.method} {purchase.url}
        </Fact>
      )}
      {purchase?.modelUsage != null && <ModelUse of={purchase.modelUsage} />}
      {invoice !== null && kind === 'withdrawal' && (
        <Fact label="Sends back">
          <Signature signature={invoice.replace('refund:', '')} />
        </Fact>
      )}
      {invoice !== null && kind !== 'refund' && kind !== 'withdrawal' && (
        <Fact label={kind === 'anchor' ? 'Anchored' : 'Invoice'}>{invoice}</Fact>
      )}
      {invoice !== null && kind === 'refund' && (
        <Fact label="Refunds">
          <Anchor component={Link} href={`/activity/${encodeURIComponent(invoice)}`} inherit>
            This payment
          </Anchor>
        </Fact>
      )}
      <Fact label="Signature">
        {txSignature === null ? 'Not signed' : <Signature signature={txSignature} />}
      </Fact>
      {txSignature !== null && (
        <Fact label="Network fee">
          {isFeeSellers(transfer) ? 'Paid by the seller' : <Amount whole value={feeSol} currency="SOL" />}
        </Fact>
      )}
      {txSignature !== null && !isZero(rentSol) && (
        <Fact label="Account rent">
          <Amount whole value={rentSol} currency="SOL" />
          <Text size="xs" c="dimmed">
            Once, to open the payee’s USDC account.
          </Text>
        </Fact>
      )}
      <Fact label="ID">
        <Address value={id} what="ID" whole />
      </Fact>
    </DataList>
  );
};

const Service = ({ id, name }: { id: string; name: string }) => (
  <Fact label="Service">
    <Anchor component={Link} href={pathOfService(id)} inherit title={id}>
      {name}
    </Anchor>
  </Fact>
);

type Used = NonNullable<NonNullable<Transfer['purchase']>['modelUsage']>;

/** Beside its price. */
const ModelUse = ({ of: { model, answeredModel, inputTokens, outputTokens, worth } }: { of: Used }) => (
  <Fact label="Model">
    {model}
    {answeredModel !== null && answeredModel !== model && `, answered by ${answeredModel}`}
    <Text size="xs" c="dimmed">
      {inputTokens.toLocaleString('en')} tokens in, {outputTokens.toLocaleString('en')} out.{' '}
      {worth !== null && (
        <>
          Worth <Amount value={worth} currency="USDC" /> by the price list.
        </>
      )}
    </Text>
  </Fact>
);

const From = ({ wallet, source }: Pick<Transfer, 'wallet' | 'source'>) => (
  <Fact label="From">
    <Address value={source ?? wallet} what="sending address" />
    {source !== null && (
      <Text size="xs" c="dimmed">
        The cold wallet: drawn within its allowance, and signed by this treasury.
      </Text>
    )}
  </Fact>
);

/** A transaction's signature, with a link to a block explorer. */
const Signature = ({ signature }: { signature: string }) => {
  const network = useTreasury(({ snapshot }) => snapshot?.network ?? 'sandbox');
  const url = explorerUrl(network, signature);
  return (
    <div>
      <Group gap="sm">
        <Address value={signature} what="signature" />
        {url !== null && <Look url={url} signature={signature} />}
      </Group>
      {network === 'sandbox' && (
        <Text size="xs" c="dimmed">
          The sandbox’s chain exists only on this machine, so no explorer shows it.
        </Text>
      )}
    </div>
  );
};

const Look = ({ url, signature }: { url: string; signature: string }) => {
  const icon = <IconExternalLink size={16} aria-hidden />;
  if (isDesktop)
    return (
      <Button
        size="compact-sm"
        variant="default"
        rightSection={icon}
        onClick={() => {
          askDesktop('openExplorer', { signature }).catch(notifyFailure('The explorer was not opened'));
        }}
      >
        Open in the explorer
      </Button>
    );
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener">
      <Group gap={4} component="span" display="inline-flex">
        Open in the explorer {icon}
      </Group>
    </Anchor>
  );
};
