// Changes the marks by which the owner tells an agent apart: color, picture, tags. They decide nothing.
import { Group, Radio, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  agentColorNames,
  mostTags,
  pictureLetters,
  tagLetters,
  type AgentColor,
} from '../../../server/contract/agents/agent-marks.ts';
import { ask } from '../../api/owner.ts';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { useTreasury, type AgentSummary } from '../../stores/treasury.ts';
import { tagsOf } from './agent-order.ts';

interface MarkProps {
  agent: AgentSummary;
}

export const MarkAgent = formDialog(({ agent }) => `Color and tags of ${agent.displayName}`, MarkForm);

/** As many as the treasury accepts. */
const short = (text: string): string => [...text].slice(0, pictureLetters).join('').slice(0, pictureLetters);

function MarkForm({ agent, onDone }: MarkProps & Done) {
  const { agentId } = agent;
  const [color, setColor] = useState<AgentColor | null>(agent.color);
  const [text, setText] = useState(agent.picture ?? '');
  const [tags, setTags] = useState([...agent.tags]);
  const known = tagsOf(useTreasury(({ snapshot }) => snapshot?.agents) ?? []);
  const picture = text.trim() === '' ? null : text.trim();
  const save = useCommand(async () => {
    await ask('markAgent', { params: { agentId }, body: { color, picture, tags } });
    onDone();
  });
  return (
    <Form onSubmit={() => void save.run()}>
      <Colors agentId={agentId} color={color} picture={picture} onChange={setColor} />
      <TextInput
        label="Picture"
        description="One or two letters, or an emoji. Without one, it keeps the pattern of its ID."
        value={text}
        onChange={(event) => setText(short(event.currentTarget.value))}
        w={260}
      />
      <TagsInput
        label="Tags"
        description={`At most ${mostTags}. Press Enter after each.`}
        maxTags={mostTags}
        maxLength={tagLetters}
        data={known}
        value={tags}
        onChange={setTags}
        clearable
        clearButtonProps={{ 'aria-label': 'Remove all tags' }}
      />
      <Text c="dimmed">These help you tell agents apart. They don’t affect what an agent may pay.</Text>
      <FormEnd of={save} notDone="Nothing was changed." onCancel={onDone}>
        Save
      </FormEnd>
    </Form>
  );
}

interface ColorsProps {
  agentId: string;
  color: AgentColor | null;
  picture: string | null;
  onChange: (color: AgentColor | null) => void;
}

const Colors = ({ agentId, color, picture, onChange }: ColorsProps) => (
  <Radio.Group
    label="Color"
    value={color ?? ''}
    onChange={(value) => onChange(value === '' ? null : (value as AgentColor))}
  >
    <Group gap="sm" mt={6}>
      {['', ...agentColorNames].map((name) => (
        <Group key={name} gap={4} wrap="nowrap">
          <Radio value={name} size="xs" aria-label={name === '' ? 'Its own' : name} />
          <AgentPicture
            agentId={agentId}
            size={26}
            look={{ color: name === '' ? null : (name as AgentColor), picture }}
          />
        </Group>
      ))}
    </Group>
  </Radio.Group>
);
