// A button whose text breaks into lines where a narrow screen would cut it.
export const wrapping = {
  h: 'auto',
  py: 6,
  lh: 1.3,
  maw: '100%',
  styles: { label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } },
} as const;
