// Warnings above every screen about the network, and about a key that somebody else has.
import { IconSpy, IconWifiOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Amount } from '../shared/ui/Amount.tsx';
import { AgentName } from '../shared/ui/AgentName.tsx';
import { counted } from '../shared/format.ts';
import { dayAndTimeOf } from '../shared/time.ts';
import { Notice } from '../shared/ui/Notice.tsx';
import type { Snapshot } from '../stores/treasury.ts';

type OutageView = NonNullable<Snapshot['outage']>;

/** @param isLost the page does not reach the treasury: what it says of the network is out of date */
export const networkBanners = (
  { outage, rpcFaults, foreignDebits }: Pick<Snapshot, 'outage' | 'rpcFaults' | 'foreignDebits'>,
  isLost: boolean,
): ReactNode[] => [
  foreignDebits.length > 0 && (
    <Notice
      key="foreign"
      color="red"
      icon={<IconSpy aria-hidden />}
      title="Somebody else has a key of yours: move your money now"
    >
      <ForeignDebits debits={foreignDebits} />
    </Notice>
  ),
  !isLost && outage !== null && (
    <Notice
      key="outage"
      color={outage.isWhole ? 'red' : 'yellow'}
      icon={<IconWifiOff aria-hidden />}
      title={titleOf(outage)}
    >
      <Outage outage={outage} />
    </Notice>
  ),
  rpcFaults.length > 0 && (
    <Notice
      key="rpc"
      color="yellow"
      icon={<IconWifiOff aria-hidden />}
      title="Your Solana RPC cannot do all that is needed"
    >
      {rpcFaults.map(({ host, answer, without }) => (
        <div key={host + answer} className="break-anywhere">
          {host}: {answer}. {without}
        </div>
      ))}
      Use another RPC, or another plan of this one.
    </Notice>
  ),
];

const titleOf = ({ isWhole, isStarting }: OutageView): string => {
  if (!isWhole) return 'One of your two Solana RPCs is down';
  return isStarting ? 'Waiting for the network' : 'The network cannot be reached';
};

const Outage = ({ outage: { since, isWhole, isStarting, rpcs, held } }: { outage: OutageView }) => (
  <>
    {isStarting ? 'No RPC has worked since the start on ' : 'There has been no answer since '}
    {dayAndTimeOf(since)}: {rpcs.map(({ host, why }) => `${host}: ${why}`).join('; ')}.{' '}
    {isWhole
      ? 'Nothing is paid meanwhile, and no money moves. '
      : 'Payments go on through the other. Reserved money is released once both answer and agree. '}
    {held.transfers > 0 && (
      <>
        {counted(held.transfers, 'open transfer')} {held.transfers === 1 ? 'holds' : 'hold'}{' '}
        <Amount value={held.amount} /> until the chain shows what became of{' '}
        {held.transfers === 1 ? 'it' : 'them'}.{' '}
      </>
    )}
    {isWhole &&
      'Payments continue by themselves once the RPC answers. Check this machine’s network; if others reach it, use another RPC.'}
  </>
);

/** The page of what to do is a section of operating.md; its steps are short enough to stand here. */
const ForeignDebits = ({ debits }: { debits: Snapshot['foreignDebits'] }) => (
  <>
    {debits.map(({ agentId, amount, signature, timestamp }) => (
      <div key={`${agentId} ${signature}`} className="break-anywhere">
        <Amount value={amount} /> left{' '}
        {agentId === null ? 'the treasury’s own wallet' : <AgentName agentId={agentId} />} on{' '}
        {dayAndTimeOf(timestamp)}, and no payment explains it (
        {signature === null ? 'no RPC shows the transaction' : `transaction ${signature}`}).
      </div>
    ))}
    Freeze everything. Make a new treasury with a phrase of its own, preferably on another machine. Withdraw
    all USDC to its address, take back what the agents hold, withdraw that too, and then the SOL. “Somebody
    else has a key” in operating.md has the commands. If it was you, with the phrase elsewhere, resume the
    agent or lift the freeze, and give out new API keys: the old ones have ended.
  </>
);
