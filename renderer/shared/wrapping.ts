// A button whose text breaks into lines where a narrow screen would cut it.
export const wrapping = {
  h: 'auto',
  py: 6,
  maw: '100%',
  styles: { label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } },
} as const;
