// Many lives at once on one chain, in rounds: the lies of a round end together, and then all that is open expires.
import { removeFolder, rpcCall, spawnSandbox, temporaryFolder } from '../../harness/treasury.ts';
import { beginLife, type Life, type LifePlan, type Verdict } from './life.ts';

const sandboxArgs = ['--slot-ms', '100', '--confirm-ms', '0', '--finalize-ms', '800'];

/** The verdicts in the order of the plans. @param atOnce lives in a round */
export const liveThrough = async (
  plans: readonly LifePlan[],
  atOnce: number,
  onRound: (verdicts: readonly Verdict[]) => void = () => {},
): Promise<Verdict[]> => {
  const folder = temporaryFolder();
  const sandbox = await spawnSandbox(folder, sandboxArgs);
  const all: Verdict[] = [];
  try {
    for (let from = 0; from < plans.length; from += atOnce) {
      const lives: Life[] = [];
      try {
        for (const plan of plans.slice(from, from + atOnce))
          lives.push(await beginLife(plan, sandbox.rpcUrl));
        await Promise.all(lives.map((life) => life.live()));
        await Promise.all(lives.map((life) => life.end()));
        await rpcCall(sandbox.rpcUrl, 'sandbox_warp', [400]);
        const verdicts = await Promise.all(lives.map((life) => life.judge()));
        all.push(...verdicts);
        onRound(verdicts);
      } finally {
        for (const life of lives) await life.close();
      }
    }
    return all;
  } finally {
    await sandbox.kill('SIGTERM');
    removeFolder(folder);
  }
};
