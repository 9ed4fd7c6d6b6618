// `treasury link`: gives this machine an agent of its own, once somebody whom the owner trusts has agreed in a browser.
import { hostname, userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import { linkedAgentFile, readLinkedAgent, type LinkedAgent } from '../client/linked-agent.ts';
import { addressOf } from '../client/locate.ts';
import { isFar } from '../client/unreached.ts';
import type { Reply } from '../contract/schemas.ts';
import { AppError } from '../errors.ts';
import { command } from './command-row.ts';
import { confirm } from './ending.ts';
import { facts } from './table.ts';
import { sayOf, show, type Terminal } from './terminal.ts';
import { writePrivate } from './payments/write-file.ts';

/** A link session is polled at most every two seconds. */
const pollMs = 2_000;

export const addLink = command('link', {
  about: 'give this machine an agent of its own, once the owner allows it in a browser or in the treasury',
  examples: ['treasury link', 'treasury link --agent scout --no-browser'],
  options: {
    agent: ['id', 'the agent to link this machine to'],
    name: ['text', 'what this machine is called', undefined, `${userInfo().username} on ${hostname()}`],
    url: ['url', 'a treasury on another machine, as https://NAME: the address of its owner’s tunnel'],
    browser: { not: 'only print the address' },
    yes: 'link again even if this machine is already linked',
  },
  /** @throws AppError when the owner refuses, or nobody answers within ten minutes */
  async run(terminal, { agent, name, url, browser, yes }) {
    const { env, platform, home, browse } = terminal.io;
    const linked = readLinkedAgent(env, platform, home);
    if (linked !== null)
      await confirm(terminal, `This machine is linked to the agent ${linked.agentId}. Link it again?`, yes);
    const find = finder(terminal, url);
    const body = {
      machine: name,
      ...(agent === undefined ? {} : { agentId: agent }),
    };
    const opened = await createClient(find(), null).ask('openLink', { body });
    refuseElsewhere(find().url, opened.linkUrl);
    const say = sayOf(terminal);
    for (const line of facts([
      ['Code', opened.code],
      ['Open', opened.linkUrl],
    ]))
      say(line);
    say('Sign in there, or allow it under Approvals in the dashboard, if the codes match.');
    if (browser) browse?.(opened.linkUrl);
    const done = await untilLinked(find, opened);
    const file = linkedAgentFile(env, platform, home);
    writePrivate(file, `${JSON.stringify(done, null, 2)}\n`);
    const { apiKey: _, ...result } = done;
    show(terminal, { ...result, file }, () => [
      `This machine is the agent ${done.agentId} now, with the wallet ${done.walletAddress}.`,
      `Its key is in ${file}. Programs of this user find it there: treasury mcp, treasury fetch.`,
    ]);
  },
});

/** It is opened on this machine, where a file or a program of another has an address too. @throws AppError `forbidden` */
const refuseElsewhere = (treasury: string, linkUrl: string): void => {
  if (linkUrl.startsWith(`${treasury}/link?token=`)) return;
  throw new AppError(
    'forbidden',
    `The treasury at ${treasury} names a page to sign in that is not its own. Check the address; a tunnel has to pass the Host header on.`,
  );
};

type Find = () => Parameters<typeof createClient>[0];

/** A local treasury may be on another port after a restart. @throws AppError `bad_request` for a bad URL */
const finder = ({ dataDir }: Terminal, url: string | undefined): Find => {
  if (url === undefined) return () => readEndpoint(dataDir);
  // The routes of a link session name no owner: they are for machines that know none yet.
  const far = { url: addressOf('--url', url), owner: '' };
  return () => far;
};

/** Polls, also across a restart of the treasury, which keeps its link sessions. */
const untilLinked = async (find: Find, opened: Reply<'openLink'>): Promise<LinkedAgent> => {
  const { token, pollSecret, expiresAt } = opened;
  for (;;) {
    await wait(pollMs);
    const polled = await poll(find, token, pollSecret);
    const { agentId, walletAddress, apiKey, owner } = polled ?? {};
    if (agentId !== undefined && walletAddress !== undefined && apiKey !== undefined) {
      const { url } = find();
      const treasury = isFar(url) && owner !== undefined ? { treasury: { url, owner } } : {};
      return { agentId, walletAddress, apiKey, linkedAt: new Date().toISOString(), ...treasury };
    }
    if (polled?.denied === true) throw new AppError('forbidden', 'The owner declined.');
    if (polled?.status === 'expired' || Date.now() > Date.parse(expiresAt))
      throw new AppError('forbidden', 'Nobody answered within ten minutes. Run `treasury link` again.');
  }
};

/** Null when the treasury is unavailable for the moment. */
const poll = async (find: Find, token: string, pollSecret: string): Promise<Reply<'getLink'> | null> => {
  try {
    return await createClient(find(), pollSecret).ask('getLink', { params: { token } });
  } catch (error) {
    const passes = error instanceof AppError && ['halted', 'too_many_requests'].includes(error.code);
    if (!passes) throw error;
    return null;
  }
};
