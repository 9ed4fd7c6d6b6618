// The treasury of the test files of the subcommands: each file has one of its own, a terminal that is logged in, and
// an agent.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  deploy,
  openTreasury,
  removeFolder,
  temporaryFolder,
  type Options,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { letIn, run, type Ended, type Setting } from './terminal.ts';

export let treasury: Treasury;
export let home: string;
export let scout: TestAgent;

/** @param options is asked once earlier `beforeAll` hooks are done */
export const useTreasury = (options: () => Options = () => ({})): void => {
  const own = temporaryFolder();
  beforeAll(async () => {
    treasury = await openTreasury(options());
    home = own;
    scout = await deploy(treasury.client, 'scout', { policy: { approveAbove: '0.5' } });
    await letIn(treasury);
  });
  afterAll(async () => {
    await treasury.close();
    removeFolder(own);
  });
};

/** Gives each test a home folder of its own. */
export const useHomes = (): void =>
  beforeEach(() => {
    home = temporaryFolder();
    return () => removeFolder(home);
  });

/** Runs a subcommand in the owner's terminal. A line is split at its spaces. */
export const command = (line: string | readonly string[], setting: Partial<Setting> = {}): Promise<Ended> =>
  run(['--data', treasury.dataDir, ...(typeof line === 'string' ? line.split(' ') : line)], {
    home,
    ...setting,
  });

/** Runs it where there is only the agent's API key. */
export const asAgent = (line: string | readonly string[]): Promise<Ended> =>
  command(line, { env: { TREASURY_API_KEY: scout.key, TREASURY_AGENT_ID: 'scout' } });
