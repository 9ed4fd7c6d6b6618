// A reader of server-sent events over real HTTP, as a program without a library reads them.
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';

export interface StreamEvent {
  type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- events of every shape
  data: any;
}

export interface EventReader {
  status: number;
  /** Of its content. */
  type: string | undefined;
  /** The text received so far, comments included. */
  text(): string;
  events(): StreamEvent[];
  /** Resolves when the other side ends it. */
  ended: Promise<void>;
  close(): void;
}

/** Resolves once the stream says that it is connected, or with the answer of a refusal. */
export const readEvents = async (url: URL, token: string): Promise<EventReader> => {
  const request = get(url, { agent: false, headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<void>((resolve) => response.on('close', () => resolve()));
  // A stream that is cut is an end like any other.
  response.on('error', () => {});
  if (!text.includes(': connected')) await Promise.race([once(response, 'data'), ended]);
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'],
    text: () => text,
    events: () =>
      text
        .split('\n\n')
        .filter((block) => block.startsWith('event: '))
        .map((block) => {
          const [type = '', data = ''] = block.split('\n');
          return {
            type: type.slice('event: '.length),
            data: JSON.parse(data.slice('data: '.length)) as unknown,
          };
        }),
    ended,
    close: () => response.destroy(),
  };
};
