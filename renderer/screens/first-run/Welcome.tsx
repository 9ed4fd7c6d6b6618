// From an empty treasury to an agent that can pay: money, an agent, its configuration.
import { Button, Group, Stack, Stepper, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Panel } from '../../shared/Panel.tsx';
import { RecoveryPhrase } from '../../shared/RecoveryPhrase.tsx';
import { Screen } from '../../shared/Screen.tsx';
import { useWelcomeSkipped } from '../../shared/welcome-skipped.ts';
import { useConnection } from '../../stores/connection.ts';
import { Created } from '../agents/Created.tsx';
import { NewAgentForm } from '../agents/NewAgentForm.tsx';
import type { CreatedAgent } from '../agents/new-agent.ts';
import { DepositStep } from './DepositStep.tsx';

type Step = 'phrase' | 'deposit' | 'agent' | 'connect';

const labels: Record<Step, { label: string; description: string }> = {
  phrase: { label: 'Recovery phrase', description: 'Write it down' },
  deposit: { label: 'Money', description: 'Fill the treasury' },
  agent: { label: 'First agent', description: 'Name and budget' },
  connect: { label: 'Connect', description: 'Paste its configuration' },
};

export default function Welcome() {
  const needsPhrase = useConnection(({ desktop }) => desktop !== null && !desktop.phraseConfirmed);
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
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
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
      actions={
        created === null && (
          <Button variant="subtle" onClick={() => leave('/')}>
            Skip for now
          </Button>
        )
      }
    >
      <Stepper active={at} size="sm" wrap={false} autoContrast>
        {steps.map((id, index) => (
          <Stepper.Step
            key={id}
            label={
              isNarrow && id !== step ? <VisuallyHidden>{labels[id].label}</VisuallyHidden> : labels[id].label
            }
            {...(isNarrow ? {} : { description: labels[id].description })}
            aria-current={index === at ? 'step' : undefined}
            allowStepSelect={false}
          />
        ))}
      </Stepper>
      {step === 'phrase' && (
        <Panel
          title="Write down your recovery phrase"
          note="Do it now; afterwards nothing else can bring your money back."
          actions={
            <Button variant="subtle" size="xs" onClick={next}>
              Later
            </Button>
          }
        >
          <RecoveryPhrase onConfirmed={next} />
        </Panel>
      )}
      {step === 'deposit' && <DepositStep onNext={next} />}
      {step === 'agent' && (
        <Panel
          title="Create your first agent"
          note="It gets a wallet of its own, and pays within these limits."
        >
          <NewAgentForm
            name="My first agent"
            onCreated={(made) => {
              setCreated(made);
              next();
            }}
          />
        </Panel>
      )}
      {step === 'connect' && created !== null && (
        <Panel title={`Connect ${created.agentId}`} note="Paste this into the program that runs the agent.">
          <Stack gap="md">
            <Created created={created} />
            <Group>
              <Button onClick={() => leave('/')}>I have it; go to the overview</Button>
            </Group>
          </Stack>
        </Panel>
      )}
    </Screen>
  );
}
