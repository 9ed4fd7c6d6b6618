// Untrusted text, such as an agent's: inert, and visibly not the treasury's own words.
import { Box, Text } from '@mantine/core';

interface QuoteProps {
  text: string;
  /** Its author. */
  from: string;
  /** Shown instead of an empty text. */
  silence: string;
}

export const Quote = ({ text, from, silence }: QuoteProps) =>
  text === '' ? (
    <Text c="dimmed" fs="italic">
      {silence}
    </Text>
  ) : (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {from}
      </Text>
      <Box
        component="blockquote"
        m={0}
        px="sm"
        py="xs"
        fz="sm"
        bg="var(--mantine-color-default-hover)"
        className="break-anywhere"
        style={{ borderInlineStart: '3px solid var(--mantine-color-dimmed)' }}
      >
        {text}
      </Box>
    </div>
  );

interface AgentsWordsProps {
  /** Empty without one. */
  reason: string;
  description: string;
}

/** Its reason, and its description of a payment. */
export const AgentsWords = ({ reason, description }: AgentsWordsProps) => (
  <>
    {reason !== '' && description !== '' && (
      <Quote text={description} from="The agent describes it as" silence="" />
    )}
    <Quote
      text={reason === '' ? description : reason}
      from="The agent says"
      silence="The agent gave no reason."
    />
  </>
);
