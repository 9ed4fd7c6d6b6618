// The address at which a tunnel of the owner's leads here, for agents on other machines, and the switch for the owner.
import { Button, Code, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { Command } from '../../shared/ui/CopyButton.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { confirmFirst } from '../../shared/ui/confirm-first.tsx';
import { refusedAt } from '../../shared/refused-at.ts';
import { outdate, useOwner } from '../../stores/queries.ts';

type Held = Reply<'getPublicAddress'>;

export const OtherMachines = () => {
  const { data, error, refetch } = useOwner('getPublicAddress');
  return (
    <Panel
      title="Other machines"
      note="Agents elsewhere reach this treasury through a tunnel that you run and trust, such as Tailscale Serve, Caddy or cloudflared. The treasury itself listens only on this machine."
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <Stack gap="md">
          <Whence held={data} />
          {data.mayChange && !data.givenAtStart && <AddressForm key={data.url} held={data} />}
          {data.url !== null && <Check key={`check ${data.url}`} />}
          {data.url !== null && <ToLink url={data.url} />}
          {data.url !== null && <OwnerSwitch held={data} />}
        </Stack>
      )}
    </Panel>
  );
};

const Whence = ({ held: { url, mayChange, givenAtStart } }: { held: Held }) => {
  if (givenAtStart)
    return (
      <Text>
        The address is <Code className="break-anywhere">{url}</Code>. It was given at the start, with{' '}
        <Code>--public-url</Code>.
      </Text>
    );
  return mayChange ? null : (
    <Text>
      You reached this page through <Code className="break-anywhere">{url}</Code>. You can change the address
      only on the treasury’s own machine.
    </Text>
  );
};

const useSet = () =>
  useCommand(async (body: { url?: string | null; ownerSessions?: boolean }) => {
    const { url, ownerSessions } = await ask('setPublicAddress', { body });
    outdate(['getPublicAddress', 'getSignIn']);
    notifyDone(
      url === null
        ? 'No other machine can reach this treasury now.'
        : `Agents reach this treasury at ${url}; you ${ownerSessions ? 'may' : 'cannot'} sign in there.`,
    );
  });

const AddressForm = ({ held: { url } }: { held: Held }) => {
  const form = useForm({ initialValues: { url: url ?? '' } });
  const change = useSet();
  const { inputOf, command } = refusedAt(['url'], form, change);
  const save = form.onSubmit((typed) => void change.run({ url: typed.url.trim() }));
  return (
    <form onSubmit={save}>
      <Group align="flex-start" gap="xs">
        <TextInput
          label="Public address"
          placeholder="https://treasury.example.ts.net"
          type="url"
          autoComplete="off"
          spellCheck={false}
          w={{ base: '100%', xs: 360 }}
          {...inputOf('url')}
        />
        <Button
          type="submit"
          variant="default"
          mt={{ base: 0, xs: 25 }}
          loading={change.isBusy}
          disabled={form.values.url.trim() === (url ?? '')}
        >
          Set the address
        </Button>
        {url !== null && (
          <AskFirst
            size="sm"
            mt={{ base: 0, xs: 25 }}
            label="Remove address"
            title="Remove the address?"
            means="Agents on other machines can no longer pay, and you are signed out there. Their keys are kept."
            confirm="Remove it"
            run={() => change.run({ url: null })}
          >
            Remove address
          </AskFirst>
        )}
      </Group>
      <ErrorNote error={command.error} notDone="The address was not changed." />
    </form>
  );
};

/** The treasury asks itself, through the tunnel. */
const Check = () => {
  const [problem, setProblem] = useState<string | null>(null);
  const check = useCommand(async () => {
    const found = await ask('checkPublicAddress');
    setProblem(found.problem);
    if (found.problem === null) notifyDone(`${found.url ?? ''} leads here.`);
  });
  return (
    <Stack gap={4} align="flex-start">
      <Button variant="default" loading={check.isBusy} onClick={() => void check.run()}>
        Check the tunnel
      </Button>
      {problem !== null && <Text role="alert">{problem}</Text>}
      <ErrorNote error={check.error} notDone="The tunnel was not checked." />
    </Stack>
  );
};

const ToLink = ({ url }: { url: string }) => {
  const line = `treasury link --url ${url}`;
  return (
    <div>
      <Text>To link another machine, run this there:</Text>
      <Command text={line} what="command" />
    </div>
  );
};

const OwnerSwitch = ({ held: { ownerSessions, mayChange } }: { held: Held }) => {
  const change = useSet();
  const turn = (isOn: boolean): void => {
    if (isOn) confirmOwner(() => void change.run({ ownerSessions: true }));
    else void change.run({ ownerSessions: false });
  };
  return (
    <Stack gap="xs">
      <Switch
        label="I may sign in there as the owner"
        description="When off, only agents and people linking a machine can connect there. Turning it off ends all your sessions there at once."
        checked={ownerSessions}
        disabled={!mayChange || change.isBusy}
        onChange={({ currentTarget }) => turn(currentTarget.checked)}
      />
      <ErrorNote error={change.error} notDone="The setting was not changed." />
    </Stack>
  );
};

const confirmOwner = (run: () => void): void =>
  confirmFirst({
    title: 'Sign in through the public address?',
    means: (
      <Stack gap="sm">
        <Text>
          Anyone who gets a session there is the owner: they can raise limits, approve payments and withdraw
          everything. Everyone who reaches the address can try your passphrase, five times a minute.
        </Text>
        <Text>
          Where your tunnel’s operator decrypts the traffic, as cloudflared does, the operator sees your
          passphrase and your session.
        </Text>
      </Stack>
    ),
    confirm: 'Allow it',
    cancel: 'Not there',
    isRed: true,
    run,
  });
