// The dashboard over an owner's API that is made of the contract: a reply that does not fit its route fails, and so does a
// request. Screens are drawn in one page, without a treasury, as the desktop draws them.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { z } from 'zod';
import { rendererFolder } from '../../build/build.ts';
import { createPageHandler } from '../../electron/app-scheme.ts';
import { desktopCommands, ownerRoutes, type DesktopCommand } from '../../electron/ipc/channels.ts';
import { desktopExchanges, type DesktopReply } from '../../electron/ipc/ipc.ts';
import { parse } from '../../server/contract/field-errors.ts';
import type { Exchange } from '../../server/contract/exchange.ts';
import type { Ask, OwnerEvent, OwnerRoute } from '../../server/contract/owner-api.ts';
import { routes } from '../../server/contract/routes.ts';
import { exchanges, type Reply } from '../../server/contract/schemas.ts';
import { AppError } from '../../server/errors.ts';
import { openPage, settled, useBrowser, type Seen } from '../harness/browser.ts';
import { filled, type Partly } from './filled.ts';

/** What a route answers: a part of its reply, a refusal, or either of them by what was asked. */
type Answer<N extends OwnerRoute> = Partly<Reply<N>> | AppError;
export type Answers = {
  [N in OwnerRoute]?: Answer<N> | ((input: Ask<N>) => Answer<N> | Promise<Answer<N>>);
};

export interface FakeOwner {
  page: Page;
  /** The requests that change something, in their order: route, and what was sent of parameters, query and body. */
  asked(): [OwnerRoute, object][];
  /** All requests of one route. */
  askedOf(route: OwnerRoute): object[];
  /** Draws a screen anew. What is not answered is answered with the least that fits the contract. */
  show(path: string, answers?: Answers): Promise<void>;
  /** Changes answers while the screen is shown; `event` has it read them again. */
  answer(answers: Answers, event?: OwnerEvent): Promise<void>;
  /** Commands of the desktop. */
  commands: [DesktopCommand, unknown][];
}

const preload = `
  const listening = { event: [], state: [], open: [] };
  window.deliver = (kind, body) => listening[kind].forEach((listen) => listen(body));
  const on = (kind) => (listen) => { listening[kind].push(listen); return () => {
    listening[kind] = listening[kind].filter((one) => one !== listen);
  }; };
  const all = (prefix, names) => Object.fromEntries(names.map((name) => [name, (input) => window.invoke(prefix, name, input)]));
  window.treasury = {
    owner: all('owner', ${JSON.stringify(ownerRoutes)}),
    desktop: all('desktop', ${JSON.stringify(desktopCommands)}),
    onEvent: on('event'), onState: on('state'), onOpen: on('open'),
  };`;

const running = filled(desktopExchanges.state.reply, {
  phase: 'running',
  network: 'sandbox',
}) as DesktopReply<'state'>;
const waiting = { ...running, phase: 'starting' };

const serve = async (): Promise<{ url: string; close(): void }> => {
  const handle = createPageHandler(rendererFolder);
  const server = createServer((request, response) => {
    void handle(new Request(`app://treasury${request.url ?? '/'}`)).then(async (served) => {
      response.writeHead(served.status, Object.fromEntries(served.headers));
      response.end(Buffer.from(await served.arrayBuffer()));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
};

const isReading = (route: OwnerRoute, method = 'GET'): boolean => routes[route].method === method;

/** Refuses what an owner typed as a host does. @throws Error for a field that no form should send, or should not leave out */
const refuse = (body: z.ZodType, sent: unknown): void => {
  try {
    parse(body, sent);
  } catch (error) {
    if (/is not a field|is required/.test(String(error))) throw new Error(String(error), { cause: error });
    throw error;
  }
};

/** For a file of tests: one page, which each `show` draws anew. No test may leave a complaint of the page. */
export const useFakeOwner = (): FakeOwner => {
  useBrowser();
  let answers: Answers = {};
  let seen: Seen;
  let server: Awaited<ReturnType<typeof serve>>;
  const all: [OwnerRoute, { params?: object; query?: object; body?: object }][] = [];
  const commands: [DesktopCommand, unknown][] = [];

  const reply = async (route: OwnerRoute, input: Ask<OwnerRoute>): Promise<unknown> => {
    const { params, query, body, reply: schema } = exchanges[route] as Exchange;
    params.parse(input.params ?? {});
    query.parse(input.query ?? {});
    refuse(body, input.body ?? {});
    all.push([route, input]);
    const given: unknown = answers[route];
    const answer = typeof given === 'function' ? await given(input) : given;
    if (answer instanceof AppError) throw answer;
    return filled(schema, answer ?? {});
  };
  const invoke = async (kind: 'owner' | 'desktop', name: string, input: unknown): Promise<unknown> => {
    try {
      if (kind === 'owner')
        return { ok: true, body: await reply(name as OwnerRoute, input as Ask<OwnerRoute>) };
      if (name !== 'state') commands.push([name as DesktopCommand, input]);
      if (name === 'state') return { ok: true, body: running };
      return { ok: true, body: filled(desktopExchanges[name as DesktopCommand].reply, {}) };
    } catch (error) {
      if (!(error instanceof AppError)) seen.complaints.push(`${name}: ${String(error)}`);
      const { code = 'internal', message, details } = error as AppError;
      return { ok: false, error: { code, message, details } };
    }
  };

  beforeAll(async () => {
    server = await serve();
    seen = await openPage(server.url);
    await seen.page.exposeFunction('invoke', invoke);
    await seen.page.addInitScript(preload);
    await seen.page.goto(`${server.url}/`);
  });
  afterEach(() => {
    expect(seen.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await seen.close();
    server.close();
  });

  const deliver = (kind: string, body: unknown) =>
    seen.page.evaluate(`deliver('${kind}', ${JSON.stringify(body)})`);
  return {
    get page() {
      return seen.page;
    },
    commands,
    asked: () =>
      all
        .filter(([route]) => !isReading(route))
        .map(([route, { params, query, body }]) => [route, { ...params, ...query, ...body }]),
    askedOf: (name) =>
      all
        .filter(([route]) => route === name)
        .map(([, { params, query, body }]) => ({ ...params, ...query, ...body })),
    async show(path, given = {}) {
      const { page } = seen;
      answers = {};
      await deliver('state', waiting);
      await page.evaluate(`location.hash = ${JSON.stringify(path)}; sessionStorage.clear()`);
      answers = given;
      commands.length = 0;
      all.length = 0;
      await deliver('state', running);
      await settled(page);
    },
    async answer(given, event) {
      answers = { ...answers, ...given };
      if (event !== undefined) await deliver('event', event);
    },
  };
};
