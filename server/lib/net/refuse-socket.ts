import type { Socket } from 'node:net';

/**
 * Answers on a socket that Node's HTTP server has handed over for good (CONNECT, Upgrade), and ends it. Without a
 * listener its error would end the process; with its second half open it would keep the process from ending.
 * @param status as in `501 Not Implemented`
 */
export const refuseSocket = (socket: Socket, status: string): void => {
  socket.on('error', () => {});
  socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.destroySoon();
};
