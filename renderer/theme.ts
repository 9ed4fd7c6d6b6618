// The theme: Mantine's defaults, a treasury's green, and grays dark enough to read.
import {
  AppShell,
  Badge,
  createTheme,
  darken,
  Modal,
  Notification,
  Text,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  // White text on shade 9 has a contrast of at least 4.5 : 1.
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 650, overflowWrap: 'anywhere' } },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } }),
    // A status badge never shrinks to make room for the rest of its row.
    Badge: Badge.extend({ styles: { root: { flexShrink: 0 } } }),
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    AppShell: AppShell.extend({ defaultProps: { transitionDuration: 0 } }),
  },
});

/** How much the text on a color's lightest shade is darkened beyond its last shade, for at least 4.5 : 1. */
const darkerBy = 0.35;

/** Mantine's own hover shades are too light for white text. */
const hovers = (colors: Record<string, MantineColorsTuple>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(colors).map(([name, shades]) => [
      `--mantine-color-${name}-filled-hover`,
      darken(shades[9], 0.15),
    ]),
  );

const lightVariants = (colors: Record<string, MantineColorsTuple>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(colors).flatMap(([name, shades]) => [
      [`--mantine-color-${name}-light`, shades[0]],
      [`--mantine-color-${name}-light-hover`, shades[1]],
      [`--mantine-color-${name}-light-color`, darken(shades[9], darkerBy)],
    ]),
  );

export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...hovers(colors),
    ...lightVariants(colors),
    '--mantine-color-dimmed': colors.gray?.[7] ?? '#495057',
    '--mantine-color-placeholder': colors.gray?.[7] ?? '#495057',
    '--mantine-color-error': colors.red?.[9] ?? '#c92a2a',
    '--mantine-color-body': '#fbfcfc',
    '--card': '#ffffff',
  },
  dark: {
    ...hovers(colors),
    '--mantine-color-text': '#e9ecec',
    '--mantine-color-dimmed': colors.dark?.[1] ?? '#b8b8b8',
    '--mantine-color-placeholder': colors.dark?.[1] ?? '#b8b8b8',
    '--mantine-color-error': colors.red?.[4] ?? '#ff8787',
    '--mantine-color-body': '#141a19',
    '--card': '#1c2423',
  },
});
