// Copies a text to the clipboard, and confirms it.
import { ActionIcon, Button, Code, type CodeProps, type ElementProps, Group, Tooltip } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { askDesktop } from '../../api/desktop.ts';
import { isDesktop } from '../../stores/connection.ts';

interface CopyButtonProps {
  text: string;
  /** The name of the text, such as "address". */
  what: string;
  secret?: boolean;
  /** Draws a button with this label instead of an icon. */
  label?: string;
  onCopied?: () => void;
}

export const CopyButton = ({ text, what, secret = false, label, onCopied }: CopyButtonProps) => {
  const [said, setSaid] = useState<'copied' | 'refused' | null>(null);
  const { start } = useTimeout(() => setSaid(null), 2_000);
  const act = (): void => {
    copy(text, { secret })
      .then(() => {
        setSaid('copied');
        onCopied?.();
      })
      .catch(() => setSaid('refused'))
      .finally(start);
  };
  const name =
    said === 'copied' ? 'Copied' : said === 'refused' ? 'Could not copy: select the text' : `Copy ${what}`;
  const icon = said === 'copied' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  if (label !== undefined)
    return (
      <Button variant="default" leftSection={icon} onClick={act} aria-live="polite">
        {said === null ? label : name}
      </Button>
    );
  return (
    <Tooltip label={name}>
      <ActionIcon variant="subtle" color="gray" onClick={act} aria-label={name}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
};

/** Copies to the clipboard; in the desktop through the main process, which later removes secrets. */
const copy = async (text: string, { secret = false } = {}): Promise<void> => {
  if (isDesktop) await askDesktop('copy', { text, secret });
  else await navigator.clipboard.writeText(text);
};

interface CodeBlockProps extends CodeProps, ElementProps<'code', keyof CodeProps> {
  label: string;
}

/** Text to read and to copy as it is. A keyboard reaches it, and it scrolls where it is long. */
export const CodeBlock = ({ label, ...code }: CodeBlockProps) => (
  <Code block tabIndex={0} role="region" aria-label={label} mah={320} className="scrolls" {...code} />
);

/** A command for a terminal, to copy. */
export const Command = ({ text, what }: { text: string; what: string }) => (
  <Group gap="xs" wrap="nowrap" align="flex-start">
    <Code block className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }} flex={1}>
      {text}
    </Code>
    <CopyButton text={text} what={what} />
  </Group>
);
