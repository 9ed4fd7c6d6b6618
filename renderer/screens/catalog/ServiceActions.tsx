// The owner's decisions on a service: allow it for an agent, block it for all, trust its seller, remove it.
import { Button } from '@mantine/core';
import { IconBan, IconShieldCheck } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import type { Ruled } from './use-catalog.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { confirmFirst } from '../../shared/ui/confirm-first.tsx';

type Rule = { blocked: boolean } | { trusted: boolean };

const blocking =
  'Agents can no longer pay it, whatever their policies say, and requests that wait for it are declined. The block applies to its wallet and web addresses, under any name. Payments that are already signed still go through. You can unblock it at any time.';
const trusting =
  'If this seller has no account for USDC yet, the treasury opens one without asking you, within the number that it may open in a day. Its payees stay pinned, and the limits of your agents don’t change.';

interface ServiceActionsProps {
  ruled: Ruled;
  onAllow: () => void;
}

export const ServiceActions = ({ ruled, onAllow }: ServiceActionsProps) => {
  const { serviceId, name, service, blockedAt, isTrusted, mayTrust } = ruled;
  const rule = useCommand((body: Rule, done: string) =>
    ask('setServiceRule', { params: { serviceId }, body }).then(() => {
      notifyDone(done);
    }, notifyFailure('Nothing was changed')),
  );
  return (
    <>
      {service !== null && (
        <Button variant="default" onClick={onAllow} aria-haspopup="dialog">
          Allow for an agent
        </Button>
      )}
      {mayTrust && (
        <Button
          variant="default"
          leftSection={<IconShieldCheck size={16} aria-hidden />}
          loading={rule.isBusy}
          onClick={() =>
            isTrusted
              ? void rule.run({ trusted: false }, `You no longer trust the seller of ${name}.`)
              : confirm(`Trust the seller of ${name}?`, trusting, 'Trust this seller', () =>
                  rule.run({ trusted: true }, `You trust the seller of ${name}.`),
                )
          }
        >
          {isTrusted ? 'Stop trusting' : 'Trust this seller'}
        </Button>
      )}
      <Button
        variant="outline"
        color={blockedAt === null ? 'red' : 'teal'}
        leftSection={<IconBan size={16} aria-hidden />}
        loading={rule.isBusy}
        onClick={() =>
          blockedAt === null
            ? confirm(`Block ${name} for all agents?`, blocking, 'Block it', () =>
                rule.run({ blocked: true }, `No agent can pay ${name} now.`),
              )
            : void rule.run({ blocked: false }, `Agents can pay ${name} again, within their policies.`)
        }
      >
        {blockedAt === null ? 'Block for all agents' : 'Unblock'}
      </Button>
      {service?.addedByOwner === true && <RemoveService ruled={ruled} />}
    </>
  );
};

const confirm = (title: string, means: string, label: string, run: () => Promise<unknown>): void =>
  confirmFirst({ title, means, confirm: label, isCautious: true, run });

/** Removes a service that the owner added, after confirmation. */
const RemoveService = ({ ruled: { serviceId, name, limits } }: { ruled: Ruled }) => (
  <AskFirst
    label={`Remove ${name}`}
    means={`Agents can no longer pay it by this name. Lists of allowed services that name it stay as they are, and you can add it again.${limits.length === 0 ? '' : limitsEnd}`}
    confirm="Remove"
    run={async () => {
      await ask('removeService', { params: { serviceId } });
    }}
    done={`${name} is no longer in the catalog.`}
  >
    Remove
  </AskFirst>
);

const limitsEnd =
  ' Its limits, listed on this page, will no longer apply: payments to its address will count under that address. Set limits at the address instead, or block it.';
