// An agent's tags.
import { Badge, Group } from '@mantine/core';

export const Tags = ({ tags }: { tags: readonly string[] }) =>
  tags.length === 0 ? null : (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} size="sm" variant="default" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
