import type { Response } from 'express';

/**
 * Calls back once, when the reply or its connection is over. A reply that was pipelined and never had its turn says nothing
 * itself.
 */
export const whenOver = (response: Response, work: () => void): void => {
  const { socket } = response.req;
  let isOver = false;
  const over = (): void => {
    // The one may be announced from within the other.
    if (isOver) return;
    isOver = true;
    response.off('close', over);
    socket.off('close', over);
    work();
  };
  response.on('close', over);
  socket.on('close', over);
};
