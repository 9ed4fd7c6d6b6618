// When a request may be written: a program that has to look once more before its bytes leave needs that turn.
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Calls back in the turn in which the connection stands: TCP, and with https the checked certificate. */
export const whenReady = (request: ClientRequest, socket: Socket, ready: () => void): void => {
  const isTls = socket instanceof TLSSocket;
  if (isTls ? !socket.authorized : socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', ready);
  // A kept connection that the seller ended shows it after the next poll of the network; two turns contain a full poll.
  else if (request.reusedSocket) setImmediate(() => setImmediate(ready));
  else ready();
};
