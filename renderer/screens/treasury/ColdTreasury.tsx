// The cold wallet: USDC under a key that this machine never has, from which agents live within an allowance.
import { Anchor, Button, DataList, Group, Menu, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  approveCommand,
  ledgerHint,
  revokeCommand,
  stopHint,
} from '../../../server/contract/treasury/cold-commands.ts';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';
import { coldFaults } from '../../../server/contract/treasury/cold-faults.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Command } from '../../shared/ui/CopyButton.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { shareOf } from '../../shared/share.ts';
import { isZero } from '../../shared/status.ts';
import { confirmFirst } from '../../shared/ui/confirm-first.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Fold } from '../../shared/ui/Fold.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useChange } from '../../shared/hooks/use-command.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { whenOf } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';
import { MoreMenu } from '../agents/nodes/NodeActions.tsx';
import { usePausedDraws } from './allowance/use-allowance.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { balanceOf } from './Balance.tsx';
import { ConfirmWithdrawal } from './ConfirmWithdrawal.tsx';
import { Sent } from './Sent.tsx';
import { useSending } from './use-withdrawal.ts';
import { notSent } from './withdrawal.ts';

type Cold = NonNullable<Reply<'getCold'>['cold']>;

const note =
  'Keep most of your money in a Ledger or a phone wallet. You allow this treasury to draw up to a set amount, which it uses to fund agents when its own wallet runs short. Nobody can draw more, not even someone who steals this machine.';
const chosenNote =
  'Agents are funded from it when the treasury’s own wallet runs short, up to the allowance.';

export const ColdTreasury = () => {
  const { data, error } = useOwner('getCold');
  return (
    <Panel title="Cold wallet" note={data?.cold ? chosenNote : note}>
      <ErrorNote error={error} />
      {data !== undefined && (data.cold === null ? <Choose /> : <Chosen cold={data.cold} />)}
    </Panel>
  );
};

const Choose = () => {
  const [address, setAddress] = useState('');
  const choose = useChange(['getCold'], () => ask('setCold', { body: { address: address.trim() } }));
  return (
    <Form gap="sm" onSubmit={() => void choose.run()}>
      <TextInput
        label="Address of the cold wallet"
        description="The wallet itself, not its token account"
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <FormEnd of={choose} variant="default" disabled={address.trim() === ''}>
        Use this wallet
      </FormEnd>
    </Form>
  );
};

/** Of a button: on a phone, the whole line. */
const wide = { base: '100%', sm: 'auto' };

const Chosen = ({ cold }: { cold: Cold }) => {
  const { stoppedAt } = cold;
  const isStopped = stoppedAt !== null;
  const hasNone = isZero(cold.granted);
  const turn = useChange(['getCold'], () => ask(isStopped ? 'resumeDrawing' : 'stopDrawing'));
  const forget = useChange(['getCold'], () => ask('forgetCold'));
  const leave = (): void =>
    isZero(cold.allowance)
      ? void forget.run()
      : confirmFirst({
          title: 'Use another wallet?',
          means: `This one still allows the treasury’s key to draw ${cold.allowance} USDC, even after you switch. To prevent that, revoke the allowance first.`,
          confirm: 'Use another wallet',
          isRed: true,
          run: forget.run,
        });
  return (
    <>
      <Facts cold={cold} />
      <ErrorNote error={turn.error ?? forget.error} />
      <Group gap={8}>
        <Button component={Link} href="/treasury/allowance" w={wide} variant={hasNone ? 'filled' : 'default'}>
          {hasNone ? 'Set the allowance with a wallet' : 'Change allowance'}
        </Button>
        <SendBack to={cold.address} />
        <Group gap={8} wrap="nowrap" w={wide}>
          <Button
            flex="1 1 auto"
            variant={isStopped ? 'default' : 'outline'}
            {...(isStopped ? {} : { color: 'red' })}
            loading={turn.isBusy}
            onClick={() => void turn.run()}
          >
            {isStopped ? 'Resume drawing from it' : 'Stop drawing from it'}
          </Button>
          <MoreMenu of="the cold wallet">
            <Menu.Item disabled={forget.isBusy} onClick={leave}>
              Use another wallet
            </Menu.Item>
          </MoreMenu>
        </Group>
      </Group>
      <Fold label={`${hasNone ? 'Set' : 'Change'} the allowance with a Ledger`}>
        <Allowance cold={cold} />
      </Fold>
      <Fold label="Revoke the allowance">
        <Text c="dimmed">
          {stopHint}{' '}
          <Anchor component={Link} href="/treasury/allowance/revoke" inherit underline="always">
            Sign the revocation here
          </Anchor>
          , or with a Ledger:
        </Text>
        <Command text={revokeCommand(cold)} what="command that revokes the allowance" />
      </Fold>
    </>
  );
};

const Facts = ({ cold }: { cold: Cold }) => {
  const drawn = formatUsdc(usdc((parseUsdc(cold.granted) ?? 0n) - (parseUsdc(cold.allowance) ?? 0n)));
  return (
    <DataList size="sm" gap="xs" labelWidth={110}>
      <Fact label="Wallet">
        <Address value={cold.address} what="address of the cold wallet" />
      </Fact>
      <Fact label="Balance">
        <Amount value={cold.balance} />
      </Fact>
      <Fact label="Allowance">
        <Amount value={drawn} currency="" /> of <Amount value={cold.granted} /> drawn
        <Progress
          mt={4}
          maw={280}
          size="sm"
          value={shareOf(drawn, cold.granted)}
          aria-label={`${drawn} of ${cold.granted} USDC drawn`}
        />
      </Fact>
      <Fact label="Status">{stateOf(cold)}</Fact>
    </DataList>
  );
};

/** The command for a Ledger. A new allowance replaces the old one, so both are shown. */
const Allowance = ({ cold }: { cold: Cold }) => {
  const [amount, setAmount] = useState('');
  usePausedDraws(amount !== '');
  return (
    <Stack gap="sm">
      <MoneyInput
        label="New allowance"
        description={`Replaces the ${cold.allowance} USDC that is left now.`}
        value={amount}
        onChange={(event) => setAmount(event.currentTarget.value)}
      />
      {amount !== '' && (
        <>
          <Command text={approveCommand(cold, amount)} what="command that sets the allowance" />
          <Text>
            {ledgerHint} Drawing is paused while you change the allowance. It resumes when you clear the
            amount or leave this page.
          </Text>
        </>
      )}
    </Stack>
  );
};

const stateOf = ({ stoppedAt, pausedUntil, fault }: Cold): string => {
  if (stoppedAt !== null) return `Stopped by you since ${whenOf(stoppedAt)}`;
  if (pausedUntil !== null) return 'Paused while its allowance is being changed';
  return fault === null ? 'Active' : coldFaults[fault];
};

/**
 * One click sends what the treasury's own wallet holds back to the cold wallet, after the confirmation of every
 * withdrawal.
 */
export const SendBack = ({ to }: { to: string }) => {
  const held = useTreasury(({ snapshot }) => (snapshot === null ? '0.00' : balanceOf(snapshot.treasury)));
  const sending = useSending();
  const { sent, isBusy, error } = sending;
  return (
    <Stack gap="sm" w={wide}>
      <Button
        variant="default"
        loading={isBusy}
        disabled={Number(held) === 0}
        title={Number(held) === 0 ? 'The treasury’s own wallet holds nothing.' : undefined}
        onClick={() => sending.ask({ asset: 'USDC', to, amount: held })}
      >
        Move funds to it…
      </Button>
      {error !== null && <ErrorNote error={error} notDone={notSent(error)} />}
      {sent !== null && <Sent transfer={sent} />}
      <ConfirmWithdrawal
        withdrawal={sending.toConfirm}
        onCancel={sending.cancel}
        onConfirm={sending.confirm}
      />
    </Stack>
  );
};
