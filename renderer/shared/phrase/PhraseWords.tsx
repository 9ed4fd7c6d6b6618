// The 24 words, numbered.
import { Button, Group, Paper, SimpleGrid, Text } from '@mantine/core';

interface PhraseWordsProps {
  words: readonly string[];
  onHide: () => void;
  onWritten: () => void;
}

export const PhraseWords = ({ words, onHide, onWritten }: PhraseWordsProps) => (
  <>
    <SimpleGrid
      component="ol"
      cols={{ base: 2, xs: 3, md: 4 }}
      spacing="xs"
      m={0}
      p={0}
      aria-label="Recovery phrase"
    >
      {words.map((word, index) => (
        // A word can occur twice, so its position is the key.
        // oxlint-disable-next-line react/no-array-index-key
        <Paper key={index} component="li" withBorder px="sm" py={6} display="flex">
          <Text span c="dimmed" w={28} className="amount">
            {index + 1}
          </Text>
          <Text span ff="monospace" fw={600} translate="no">
            {word}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
    <Group>
      <Button onClick={onWritten}>I have written them down</Button>
      <Button variant="default" onClick={onHide}>
        Hide
      </Button>
    </Group>
  </>
);
