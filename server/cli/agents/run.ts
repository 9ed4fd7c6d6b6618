// `treasury run`: starts a program that uses language models as an agent, under its limits.
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import spawn from 'cross-spawn';
import { createClient, type Client } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import { readIdentity, type Identity } from '../../client/identity.ts';
import type { Place } from '../../client/locate.ts';
import { AppError } from '../../errors.ts';
import { command } from '../command-row.ts';
import { Ending, ProgramEnded } from '../ending.ts';
import { asLinkedAgent, asOwner } from '../session.ts';
import { inert } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const addRun = command('run <command...>', {
  about: 'start a program that uses language models as an agent, under its limits',
  examples: [
    'treasury run --agent scout -- claude',
    'treasury run --agent scout -- codex exec "fix the failing test"',
    'treasury run --agent scout -- python bot.py  # with the SDK of OpenAI or Anthropic',
  ],
  options: {
    agent: ['id', 'the agent that it acts as; without it, the agent that this machine is linked to'],
  },
  /** @throws ProgramEnded always, once the program has ended */
  async run(terminal, { command: [program = '', ...args], agent }) {
    const name = inert(basename(program).replace(/\.(?:exe|cmd|bat)$/i, ''));
    const start = takeSignals();
    const acting = await actAs(terminal, agent, name);
    const watch = watchFor(terminal, acting, name);
    try {
      const { env = {}, args: more = [] } = (Object.hasOwn(recipes, name) && recipes[name]?.(acting)) || {};
      const settings = {
        ...withoutOthers(terminal.io.env),
        ...settingsOf(acting),
        TREASURY_DATA: terminal.dataDir,
        ...env,
      };
      const exitCode = await start(program, [...more, ...args], settings);
      await watch.look('sent no request to the treasury');
      throw new ProgramEnded(exitCode);
    } finally {
      watch.end();
      await acting.end();
    }
  },
});

export const runExitCodesText = [
  '',
  'Exit code:',
  '  that of the program; 128 and the number of the signal that ended it; 1 if it cannot be started',
].join('\n');

interface Acting extends Pick<Identity, 'agentId' | 'apiKey'> {
  treasury: Pick<Place, 'url' | 'owner'>;
  /** Revokes the key, if it was made for this program. */
  end(): Promise<void>;
}

/**
 * As the agent of the environment or of this machine's link; or, as the owner, with a key that ends with the program.
 * @throws AppError `unauthorized` when the terminal is neither
 */
const actAs = async (terminal: Terminal, agent: string | undefined, program: string): Promise<Acting> => {
  const own = identityIn(terminal, agent);
  if (own !== null && [undefined, own.agentId].includes(agent))
    return { ...own, treasury: asLinkedAgent(terminal).place(), end: async () => {} };
  const params = { agentId: agent ?? '' };
  const owner = asOwner(terminal);
  const label = `treasury run ${program}`.slice(0, 80);
  const { keyId, apiKey } = await owner.ask('addKey', { params, body: { label } });
  return {
    ...params,
    apiKey,
    treasury: readEndpoint(terminal.dataDir),
    end: () => endKey(terminal, owner, { ...params, keyId }),
  };
};

/** Null where there is none, but an agent is named. @throws AppError `unauthorized` */
const identityIn = ({ io }: Terminal, agent: string | undefined): Identity | null => {
  try {
    return readIdentity(io.env, io.platform, io.home);
  } catch (error) {
    if (agent !== undefined || !(error instanceof AppError)) return null;
    throw new AppError(
      error.code,
      `${error.message} As the owner, name the agent: treasury run --agent ID -- …`,
    );
  }
};

const endKey = async (
  { note }: Terminal,
  owner: Client,
  params: { agentId: string; keyId: string },
): Promise<void> => {
  try {
    await owner.ask('revokeKey', { params });
  } catch {
    note(`Its API key is still valid. End it: treasury keys revoke ${params.agentId} ${params.keyId}`);
  }
};

const gatewayOf = ({ treasury: { url }, agentId }: Acting): string => `${url}/v1/agents/${agentId}/llm`;

/** The variables that the SDKs of OpenAI and Anthropic read, and those of the treasury's own programs. */
const settingsOf = (acting: Acting): Record<string, string> => ({
  OPENAI_BASE_URL: `${gatewayOf(acting)}/openai/v1`,
  OPENAI_API_KEY: acting.apiKey,
  ANTHROPIC_BASE_URL: `${gatewayOf(acting)}/anthropic`,
  ANTHROPIC_AUTH_TOKEN: acting.apiKey,
  TREASURY_AGENT_ID: acting.agentId,
  TREASURY_API_KEY: acting.apiKey,
  TREASURY_URL: acting.treasury.url,
  ...(acting.treasury.owner === null ? {} : { TREASURY_OWNER: acting.treasury.owner }),
});

/**
 * With a key or a login of its own at a provider, the program would pass the budget by. The passphrase is the owner's, and
 * another treasury's address would be sent this one's key.
 */
const withoutOthers = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ofOthers.test(name)));

const ofOthers =
  /^(?:(?:OPENAI|ANTHROPIC)_.*|(?:AI_GATEWAY|AZURE|AZURE_OPENAI|CEREBRAS|CODEX|COHERE|DEEPSEEK|FIREWORKS|FIREWORKS_AI|GEMINI|GOOGLE|GOOGLE_GENERATIVE_AI|GROQ|MISTRAL|MOONSHOT|OPENROUTER|PERPLEXITY|TOGETHER|TOGETHERAI|XAI|ZAI)_API_KEY|CLAUDE_CODE_(?:OAUTH_TOKEN|USE_.*)|AWS_BEARER_TOKEN_BEDROCK|TREASURY_.*)$/i;

interface Recipe {
  env?: Record<string, string>;
  args?: readonly string[];
}

/** What programs need beside the SDKs' variables. */
const recipes: Readonly<Record<string, (acting: Acting) => Recipe>> = {
  claude: () => ({ env: { CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1' } }),
  // Its own provider is not to be redirected; the web searches of another one have no bound.
  codex: (acting) => ({
    args: Object.entries({
      model_provider: 'treasury',
      'model_providers.treasury.name': 'Agent Treasury',
      'model_providers.treasury.base_url': `${gatewayOf(acting)}/openai/v1`,
      'model_providers.treasury.env_key': 'OPENAI_API_KEY',
      'model_providers.treasury.wire_api': 'responses',
      web_search: 'disabled',
    }).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]),
  }),
  aider: (acting) => ({
    env: {
      OPENAI_API_BASE: `${gatewayOf(acting)}/openai/v1`,
      ANTHROPIC_API_BASE: `${gatewayOf(acting)}/anthropic`,
      ANTHROPIC_API_KEY: acting.apiKey,
    },
  }),
};

const passed = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * From here on no signal ends this command: a key that it makes has to end with the program, which gets them.
 * Returns what starts the program. Its result is the exit code; of one that a signal ended, as a shell reports it.
 */
const takeSignals = () => {
  let child: ChildProcess | undefined;
  let early: (typeof passed)[number] | undefined;
  for (const signal of passed)
    process.on(signal, () => {
      if (child === undefined) early ??= signal;
      // A terminal sends these to both.
      else if (!process.stdin.isTTY || !['SIGINT', 'SIGQUIT'].includes(signal)) child.kill(signal);
    });
  /** @throws Ending when it cannot start */
  return (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
    new Promise((resolve, reject) => {
      if (early !== undefined) return resolve(128 + constants.signals[early]);
      const refuse = (error: unknown): void =>
        reject(new Ending('failed', inert(`${program} cannot be started: ${(error as Error).message}.`)));
      try {
        child = spawn(program, [...args], { stdio: 'inherit', env });
      } catch (error) {
        return refuse(error);
      }
      child.once('error', refuse);
      child.once('close', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
};

/** A program that asks for no model for so long may use another login. */
const quietMs = 30_000;

/** Says so when no request of the agent came since the start: after half a minute, and whenever it is asked to look. */
const watchFor = ({ note }: Terminal, { treasury, apiKey, agentId }: Acting, program: string) => {
  const client = createClient({ ...treasury, owner: treasury.owner ?? '' }, apiKey);
  const params = { agentId };
  /** A seller's model is a payment. */
  const newest = async (): Promise<string> => {
    const { requests } = await client.ask('modelUsage', { params, query: { days: '1' } });
    const { payments } = await client.ask('spendHistory', { params, query: { limit: '1' } });
    return `${requests[0]?.requestId} ${payments[0]?.id}`;
  };
  const before = newest();
  // `look` reads it later.
  before.catch(() => {});
  const look = async (said: string): Promise<void> => {
    try {
      if ((await newest()) === (await before))
        note(
          `${program} ${said}. If it answers all the same, it uses another login, outside of ${agentId}’s limits.`,
        );
    } catch {
      // The treasury has stopped, or has ended the key: the program learns that itself.
    }
  };
  const timer = setTimeout(() => void look('has sent no request to the treasury yet'), quietMs);
  return { look, end: () => clearTimeout(timer) };
};
