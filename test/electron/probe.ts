// A client in a thread of its own, so that the handling of other answers does not delay its measurement.
import { parentPort, workerData } from 'node:worker_threads';
import { createClient } from '../harness/http-client.ts';

export interface Target {
  url: string;
  owner: string;
  key: string;
  path: string;
  body: object;
}
export interface Probed {
  status: number;
  /** The arrival of the answer, in milliseconds of Unix time. */
  at: number;
}

const { url, owner, key, path, body } = workerData as Target;
const client = createClient(url, owner, key, 1);

parentPort?.on('message', () => {
  void client.post(path, body).then(({ status }) => {
    const probed: Probed = { status, at: performance.timeOrigin + performance.now() };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage(probed);
  });
});
