// A transfer's states and times as a timeline.
import { Text, Timeline } from '@mantine/core';
import { IconCheck, IconHourglass, IconX } from '@tabler/icons-react';
import { clockOf, dayOf } from '../../shared/time.ts';
import { stepsOf, type Step, type Transfer } from './steps.ts';

const ended = new Set(['failed', 'dead', 'cancelled', 'denied']);

export const Steps = ({ transfer }: { transfer: Transfer }) => {
  const steps = stepsOf(transfer);
  const isRefused = ended.has(transfer.state);
  const passed = steps.filter(({ at }) => at !== null).length;
  return (
    <Timeline active={passed - 1} bulletSize={24} lineWidth={2} role="list">
      {steps.map((step, index) => (
        <Timeline.Item
          key={step.title}
          role="listitem"
          title={step.title}
          bullet={<Bullet step={step} isRefusal={isRefused && index === steps.length - 1} />}
          lineVariant={index >= passed - 1 ? 'dashed' : 'solid'}
          {...(isRefused && index === steps.length - 1 ? { color: 'orange' } : {})}
        >
          {step.note !== '' && <Text size="sm">{step.note}</Text>}
          {step.at !== null && (
            <Text size="sm" c="dimmed">
              {dayOf(step.at)}, {clockOf(step.at)}
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
};

const Bullet = ({ step, isRefusal }: { step: Step; isRefusal: boolean }) => {
  if (step.at === null) return <IconHourglass size={14} aria-hidden />;
  return isRefusal ? <IconX size={14} aria-hidden /> : <IconCheck size={14} aria-hidden />;
};
