// The page's entry point: finds its transport, then draws.
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { atLinkPage } from './shared/at-link-page.ts';
import { moveSearch } from './shared/hooks/use-hash-location.ts';
import { start } from './stores/connection.ts';
import { queries } from './stores/queries.ts';
import { cssVariables, theme } from './theme.ts';

// The page's policy admits styles only with the nonce, which is new for each page.
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
setNonce(nonce);

const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no place for the dashboard.');

if (!atLinkPage) {
  moveSearch();
  start();
}
document.querySelector('.frame')?.remove();
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <Notifications position="bottom-right" />
          <App />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
