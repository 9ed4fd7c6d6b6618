// The end of a call, as its caller causes it.
import type { Request, Response } from 'express';

/** Made once: the trace of its own costs as much as much of a request, and nobody reads it. */
const ended = new DOMException('The call has ended.', 'AbortError');

/** Aborted when the answer is written, or the caller ends the connection before that. */
export const goneOf = ({ socket }: Request, response: Response): AbortSignal => {
  const gone = new AbortController();
  const end = (): void => gone.abort(ended);
  // `end` comes some turns before the response closes: a retry in between must find this call ended.
  socket.once('end', end);
  response.once('close', () => {
    socket.off('end', end);
    end();
  });
  return gone.signal;
};
