// Finds a screen, a setting, an agent, a payment or a service, and pauses or funds an agent, from the keyboard. It is a list that a
// text field moves in, as screen readers know it; what Enter does is chosen by id, so that answers of the treasury that come
// late never change it.
import { Modal, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useId, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { ask } from '../../api/owner.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { notifyStopped } from '../../shared/notify-stopped.tsx';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';
import type { DialogProps } from '../../shared/ui/form-dialog.tsx';
import { places } from '../../places.ts';
import { useAgents, refresh, useTreasury, type AgentSummary } from '../../stores/treasury.ts';
import { MoveMoney } from '../../screens/agents/MoveMoney.tsx';
import { useFreeze } from '../FreezeButton.tsx';
import { commandsFor, matching, type Command, type Does } from './commands.ts';
import styles from './palette.module.css';
import { useFound } from './use-found.ts';

interface PaletteProps extends DialogProps {
  /** Shows the sheet of keys. */
  onKeys: () => void;
}

export default function Palette({ opened, onClose, onKeys }: PaletteProps) {
  const [, go] = useLocation();
  const [funded, setFunded] = useState<AgentSummary | null>(null);
  const [isGiving, setGiving] = useState(false);
  const freeze = useFreeze();
  const run = (does: Does): void => {
    onClose();
    switch (does.kind) {
      case 'open':
        return go(does.path);
      case 'keys':
        return onKeys();
      case 'give': {
        const { snapshot } = useTreasury.getState();
        setFunded(snapshot?.agents.find(({ agentId }) => agentId === does.agentId) ?? null);
        return setGiving(true);
      }
      case 'freeze':
        return freeze.run();
      default:
        void (does.kind === 'pause' ? pause : resume)(does.agentId, does.name);
    }
  };
  return (
    <>
      <Modal.Root opened={opened} onClose={onClose} yOffset="10vh" size="lg" padding={0}>
        <Modal.Overlay />
        <Modal.Content aria-label="Find or run a command">
          <Modal.Body>{opened && <Finder run={run} />}</Modal.Body>
        </Modal.Content>
      </Modal.Root>
      {funded !== null && (
        <MoveMoney agent={funded} way="allocate" opened={isGiving} onClose={() => setGiving(false)} />
      )}
    </>
  );
}

const resume = (agentId: string, name: string): Promise<unknown> =>
  ask('resume', { params: { agentId } })
    .then(
      () => notifyDone(`${name} can pay again, within its limits.`),
      notifyFailure(`${name} stays paused`),
    )
    .finally(() => void refresh());

const pause = (agentId: string, name: string): Promise<unknown> =>
  ask('kill', { params: { agentId } })
    .then(
      ({ ended }) => notifyStopped({ did: `${name} is paused.`, ended, resume: () => resume(agentId, name) }),
      notifyFailure(`${name} was not paused`),
    )
    .finally(() => void refresh());

/** The matches of the typed text, and which of it is chosen. */
const useFinder = (run: (does: Does) => void) => {
  const list = useId();
  const agents = useAgents();
  const isFrozen = useTreasury(({ snapshot }) => snapshot?.frozen ?? false);
  const nameOf = useAgentNames(agents.map(({ agentId }) => agentId));
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const found = useFound(text);
  const shown = [...matching(commandsFor({ places, agents, nameOf, isFrozen }), text), ...found.commands];
  const at = Math.max(
    0,
    shown.findIndex(({ id }) => id === chosen),
  );
  const move = (by: number): void => {
    const next = shown.at((at + by) % shown.length)?.id ?? '';
    setChosen(next);
    document.querySelector(`#${CSS.escape(optionId(list, next))}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && shown.length > 0) move(by);
    else if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    else if (!event.repeat && shown[at] !== undefined) run(shown[at].does);
    event.preventDefault();
  };
  const type = (next: string): void => {
    setText(next);
    setChosen(null);
  };
  return { list, text, type, shown, at, setChosen, onKeyDown, found };
};

const Finder = ({ run }: { run: (does: Does) => void }) => {
  const { list, text, type, shown, at, setChosen, onKeyDown, found } = useFinder(run);
  return (
    <>
      <TextInput
        size="lg"
        variant="unstyled"
        px="sm"
        leftSection={<IconSearch size={20} aria-hidden />}
        leftSectionWidth={48}
        className={styles['field'] ?? ''}
        placeholder="Screen, setting, agent, payment, service or command"
        data-autofocus
        maxLength={200}
        value={text}
        onChange={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-label="Find or run a command"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={list}
        {...(shown[at] === undefined ? {} : { 'aria-activedescendant': optionId(list, shown[at].id) })}
      />
      <ul id={list} role="listbox" aria-label="Found" className={styles['list']}>
        {shown.map((command, index) => (
          <Option
            key={command.id}
            id={optionId(list, command.id)}
            command={command}
            isChosen={index === at}
            onPoint={() => setChosen(command.id)}
            onRun={() => run(command.does)}
          />
        ))}
      </ul>
      <Text c="dimmed" px="md" py="xs" role="status">
        {found.error === null
          ? wordsFor(shown.length, text, found.isSearching)
          : `Payments and services were not searched: ${found.error.message}`}
      </Text>
    </>
  );
};

const optionId = (list: string, id: string): string => `${list}-${id.replaceAll(/[^\w-]/g, '_')}`;

const wordsFor = (count: number, text: string, isSearching: boolean): string => {
  if (isSearching) return 'Searching payments and services…';
  if (count === 0)
    return 'No results. Try a screen or a setting, such as “backup” or “time zone”, the name of an agent or a service, or the id of a payment.';
  return text.trim() === '' ? 'Arrow keys to move, Enter to choose, Esc to close' : `${count} found`;
};

interface OptionProps {
  id: string;
  command: Command;
  isChosen: boolean;
  onPoint: () => void;
  onRun: () => void;
}

const Option = ({ id, command: { label, note }, isChosen, onPoint, onRun }: OptionProps) => (
  <li
    id={id}
    role="option"
    aria-selected={isChosen}
    className={styles['option']}
    onPointerMove={onPoint}
    onMouseDown={(event) => event.preventDefault()}
    onClick={onRun}
  >
    <Text span fw={600} className="break-anywhere">
      {label}
    </Text>
    <Text span size="xs" c="dimmed" className="break-anywhere">
      {note}
    </Text>
  </li>
);
