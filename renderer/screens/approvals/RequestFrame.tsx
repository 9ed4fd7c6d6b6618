// The frame of a request to the owner. Its title's id is made from the request's.
import { Card } from '@mantine/core';
import type { ReactNode } from 'react';

export const titleOf = (requestId: string): string => `title-${requestId}`;

export const RequestFrame = ({ requestId, children }: { requestId: string; children: ReactNode }) => (
  <Card
    withBorder
    bg="var(--card)"
    padding="lg"
    component="article"
    // Below the bar at the page's top.
    style={{ scrollMarginTop: 76 }}
    data-request={requestId}
    aria-labelledby={titleOf(requestId)}
  >
    {children}
  </Card>
);
