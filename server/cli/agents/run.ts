// `treasury run`: starts a program that uses language models as an agent, under its limits.
import { constants } from 'node:os';
import { basename } from 'node:path';
import spawn from 'cross-spawn';
import { createClient, type Client } from '../../client/client.ts';
import { readEndpoint, type Endpoint } from '../../client/endpoint.ts';
import { readIdentity, type Identity } from '../../client/identity.ts';
import { AppError } from '../../errors.ts';
import { command } from '../command-row.ts';
import { Ending, ProgramEnded } from '../ending.ts';
import { asOwner } from '../session.ts';
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
    const name = basename(program).replace(/\.(?:exe|cmd|bat)$/i, '');
    const acting = await actAs(terminal, agent, name);
    const watch = watchFor(terminal, acting, name);
    try {
      const { env = {}, args: more = [] } = recipes[name]?.(acting) ?? {};
      const settings = { ...withoutProviders(terminal.io.env), ...settingsOf(acting), ...env };
      throw new ProgramEnded(await ended(program, [...more, ...args], settings));
    } finally {
      await watch.end();
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
  treasury: Pick<Endpoint, 'url' | 'owner'>;
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
    return { ...own, treasury: own.treasury ?? readEndpoint(terminal.dataDir), end: async () => {} };
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
});

/** With a key or a login of its own at a provider, the program would pass the budget by. */
const withoutProviders = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ofProviders.test(name)));

const ofProviders =
  /^(?:(?:OPENAI|ANTHROPIC)_.*|(?:AI_GATEWAY|AZURE|AZURE_OPENAI|CEREBRAS|CODEX|COHERE|DEEPSEEK|FIREWORKS|FIREWORKS_AI|GEMINI|GOOGLE|GOOGLE_GENERATIVE_AI|GROQ|MISTRAL|MOONSHOT|OPENROUTER|PERPLEXITY|TOGETHER|TOGETHERAI|XAI|ZAI)_API_KEY|CLAUDE_CODE_(?:OAUTH_TOKEN|USE_.*)|AWS_BEARER_TOKEN_BEDROCK|TREASURY_API_KEY_FILE)$/i;

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

/** The exit code of the program; of one that a signal ended, as a shell reports it. @throws Ending when it cannot start */
const ended = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { stdio: 'inherit', env });
    const pass = (signal: NodeJS.Signals): void => {
      // A terminal sends these to both.
      if (process.stdin.isTTY && ['SIGINT', 'SIGQUIT'].includes(signal)) return;
      child.kill(signal);
    };
    const passed: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'];
    for (const signal of passed) process.on(signal, pass);
    const over = (): void => {
      for (const signal of passed) process.off(signal, pass);
    };
    child.once('error', (error) => {
      over();
      reject(new Ending('failed', `${program} cannot be started: ${error.message}.`));
    });
    child.once('close', (code, signal) => {
      over();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });

/** A program that asks for no model for so long may use another login. */
const quietMs = 30_000;

/** Says so when no request of the agent came since the start: after half a minute, and at the end. */
const watchFor = (
  { note }: Terminal,
  { treasury, apiKey, agentId }: Acting,
  program: string,
): { end(): Promise<void> } => {
  const client = createClient(treasury, apiKey);
  const newest = async (): Promise<string | undefined> =>
    (await client.ask('modelUsage', { params: { agentId }, query: { days: '1' } })).requests[0]?.requestId;
  const before = newest();
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
  return {
    async end() {
      clearTimeout(timer);
      await look('sent no request to the treasury');
    },
  };
};
