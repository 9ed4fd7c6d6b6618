// The button and the keys that open the palette and the sheet of keys. Both are fetched when they are first used.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { chunk } from '../shared/chunk.tsx';
import { isMac, useKeys, useModK } from '../shared/keys.ts';

const Palette = chunk(() => import('./palette/Palette.tsx'), { what: 'The palette', waiting: null });
const KeySheet = chunk(() => import('./KeySheet.tsx'), { what: 'The list of keys', waiting: null });

type Layer = 'palette' | 'keys' | null;

export const Finding = () => {
  const [layer, setLayer] = useState<Layer>(null);
  const [used, setUsed] = useState<ReadonlySet<Layer>>(new Set());
  const show = (next: Layer): void => {
    setUsed((before) => new Set([...before, next]));
    setLayer(next);
  };
  const close = (): void => setLayer(null);
  useModK(() => (layer === 'palette' ? close() : show('palette')));
  useKeys({
    '/': () => {
      if (!focusSearch()) show('palette');
    },
    '?': () => show('keys'),
  });
  return (
    <>
      <Tooltip label={`Find (${isMac ? '⌘' : 'Ctrl'}+K)`}>
        <ActionIcon
          variant="default"
          size={36}
          flex="none"
          id="find"
          aria-label="Find or run a command"
          aria-haspopup="dialog"
          aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
          onClick={() => show('palette')}
        >
          <IconSearch size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {used.has('palette') && (
        <Palette opened={layer === 'palette'} onClose={close} onKeys={() => show('keys')} />
      )}
      {used.has('keys') && <KeySheet opened={layer === 'keys'} onClose={close} />}
    </>
  );
};

/** @returns whether the screen has a search field */
const focusSearch = (): boolean => {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  field?.focus();
  field?.select();
  return field !== null;
};
