// From an empty treasury to an agent that can pay: money, an agent, its configuration.
import { Button, Group, Stack, Stepper, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Panel } from '../../shared/ui/Panel.tsx';
import { PhraseInTerminal } from '../../shared/phrase/PhraseInTerminal.tsx';
import { RecoveryPhrase } from '../../shared/phrase/RecoveryPhrase.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { useNeedsPhrase } from '../../shared/hooks/use-needs-phrase.ts';
import { useWelcomeSkipped } from '../../shared/welcome-skipped.ts';
import { isDesktop } from '../../stores/connection.ts';
import { Created } from '../agents/new/Created.tsx';
import { NewAgentForm } from '../agents/new/NewAgentForm.tsx';
import type { CreatedAgent } from '../agents/new/new-agent.ts';
import { DepositStep } from './DepositStep.tsx';

type Step = 'phrase' | 'deposit' | 'agent' | 'connect';

const labels: Record<Step, { label: string; description: string }> = {
  phrase: { label: 'Recovery phrase', description: 'Write it down' },
  deposit: { label: 'Money', description: 'Fill the treasury' },
  agent: { label: 'First agent', description: 'Name and budget' },
  connect: { label: 'Connect', description: 'Its first call' },
};

export default function Welcome() {
  const needsPhrase = useNeedsPhrase();
  // Fixed when this opens: confirming the phrase must not remove the step under the owner's eyes.
  const [steps] = useState<readonly Step[]>(() => [
    ...(needsPhrase ? (['phrase'] as const) : []),
    'deposit',
    'agent',
    'connect',
  ]);
  const [at, setAt] = useState(0);
  const [created, setCreated] = useState<CreatedAgent | null>(null);
  const [, setSkipped] = useWelcomeSkipped();
  const [, go] = useLocation();
  const next = (): void => {
    setAt((step) => step + 1);
    scrollTo(0, 0);
  };
  const leave = (to: string): void => {
    setSkipped(true);
    go(to);
  };
  const step = steps[at];
  return (
    <Screen
      title="Welcome"
      isNarrow
      actions={
        created === null && (
          <Button variant="subtle" onClick={() => leave('/')}>
            Skip for now
          </Button>
        )
      }
    >
      <Progress steps={steps} at={at} />
      {step === 'phrase' && <PhraseStep onNext={next} />}
      {step === 'deposit' && <DepositStep onNext={next} />}
      {step === 'agent' && (
        <AgentStep
          onCreated={(made) => {
            setCreated(made);
            next();
          }}
        />
      )}
      {step === 'connect' && created !== null && <ConnectStep created={created} onDone={() => leave('/')} />}
    </Screen>
  );
}

const Progress = ({ steps, at }: { steps: readonly Step[]; at: number }) => {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  return (
    <Stepper active={at} size="sm" wrap={false} autoContrast>
      {steps.map((id, index) => {
        const { label, description } = labels[id];
        return (
          <Stepper.Step
            key={id}
            label={isNarrow && index !== at ? <VisuallyHidden>{label}</VisuallyHidden> : label}
            {...(isNarrow ? {} : { description })}
            aria-current={index === at ? 'step' : undefined}
            allowStepSelect={false}
          />
        );
      })}
    </Stepper>
  );
};

const PhraseStep = ({ onNext }: { onNext: () => void }) => (
  <Panel
    title="Write down your recovery phrase"
    note="Do this now: nothing else can recover your money."
    actions={
      <Button variant="subtle" size="xs" onClick={onNext}>
        Later
      </Button>
    }
  >
    {isDesktop ? <RecoveryPhrase onConfirmed={onNext} /> : <PhraseInTerminal onKept={onNext} />}
  </Panel>
);

const AgentStep = ({ onCreated }: { onCreated: (created: CreatedAgent) => void }) => (
  <Panel title="Create your first agent" note="It gets its own wallet, and pays within these limits.">
    <NewAgentForm name="My first agent" onCreated={onCreated} />
  </Panel>
);

const ConnectStep = ({ created, onDone }: { created: CreatedAgent; onDone: () => void }) => (
  <Panel title={`Connect ${created.name}`} note="Choose the program that runs the agent.">
    <Stack gap="md">
      <Created created={created} />
      <Group>
        <Button onClick={onDone}>Go to the overview</Button>
      </Group>
    </Stack>
  </Panel>
);
