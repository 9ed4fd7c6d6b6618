// Text to read and to copy as it is. A keyboard reaches it, and it scrolls where it is long.
import { Code, type CodeProps, type ElementProps } from '@mantine/core';

interface CodeBlockProps extends CodeProps, ElementProps<'code', keyof CodeProps> {
  label: string;
}

export const CodeBlock = ({ label, ...code }: CodeBlockProps) => (
  <Code block tabIndex={0} role="region" aria-label={label} mah={320} className="scrolls" {...code} />
);
