// A terminal for tests: the command runs in this process, and the test types the answers.
import { runCommand } from '../../server/cli/program.ts';
import { writeToken } from '../../server/client/terminal-token.ts';
import { until, type Treasury } from '../harness/treasury.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  /** The one JSON document of `--json`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- documents of every shape
  json: any;
}

export interface Setting {
  home: string;
  env?: NodeJS.ProcessEnv;
  /** The lines that the person types; without them there is no terminal. */
  typed?: readonly string[];
  /** Called while the person thinks. */
  onQuestion?: () => void;
  color?: boolean;
  columns?: number;
  /** Opens the browser; without it there is none. */
  browse?: (url: string) => void;
  /** Linux unless named. */
  platform?: NodeJS.Platform;
}

/** Runs the command. Returns what it wrote. */
export const run = async (args: readonly string[], setting: Setting): Promise<Ended> => {
  const written = { stdout: '', stderr: '' };
  const typed = [...(setting.typed ?? [])];
  const code = await runCommand(args, {
    out: (text) =>
      void (written.stdout += typeof text === 'string' ? text : Buffer.from(text).toString('utf8')),
    err: (text) => void (written.stderr += text),
    ask:
      setting.typed === undefined
        ? null
        : async (question) => {
            written.stderr += question;
            setting.onQuestion?.();
            const answer = typed.shift();
            if (answer === undefined) throw new Error(`an unexpected question: ${question}`);
            return answer;
          },
    browse: setting.browse ?? null,
    color: setting.color ?? false,
    columns: setting.columns,
    env: setting.env ?? {},
    home: setting.home,
    platform: setting.platform ?? 'linux',
  });
  return { code, ...written, json: args.includes('--json') ? documentIn(written.stdout) : undefined };
};

const documentIn = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

/** Logs the terminal in as the owner does, for fifteen minutes. */
export const letIn = async ({ client, dataDir }: Treasury): Promise<void> => {
  const { body: opened } = await client.post('/v1/logins', { terminal: 'a test' }, { token: null });
  await client.post(`/v1/logins/${opened['loginId']}/grant`);
  const claim = `/v1/logins/${opened['loginId']}/claim`;
  const { body } = await until('the token', async () => {
    const answer = await client.post(claim, { pollSecret: opened['pollSecret'] }, { token: null });
    return typeof answer.body['token'] === 'string' && answer;
  });
  writeToken(dataDir, { token: body['token'], expiresAt: body['tokenExpiresAt'] });
};
