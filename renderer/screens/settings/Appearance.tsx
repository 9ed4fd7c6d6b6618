// Light, dark, or the system's setting.
import { SegmentedControl, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { Panel } from '../../shared/Panel.tsx';

const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export const Appearance = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title="Appearance">
      <SegmentedControl
        data={schemes}
        value={colorScheme}
        onChange={setColorScheme}
        aria-label="Appearance"
        fullWidth
      />
    </Panel>
  );
};
