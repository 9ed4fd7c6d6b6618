// The field of an agent's id, which is typed as it is kept.
import { TextInput, type TextInputProps } from '@mantine/core';

export const AgentIdInput = (input: TextInputProps) => (
  <TextInput
    label="ID"
    description="Can’t be changed later"
    maxLength={64}
    autoCapitalize="none"
    spellCheck={false}
    {...input}
  />
);
