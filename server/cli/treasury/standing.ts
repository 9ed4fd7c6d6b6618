// `treasury standing`: the standing approvals, by which an agent pays a service without asking each time.
import type { Command } from 'commander';
import { confirm } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addStanding = (program: Command, terminal: () => Terminal): void => {
  const standing = program
    .command('standing')
    .alias('grants')
    .description('standing approvals: what an agent may pay without asking you each time');
  standing
    .command('list', { isDefault: true })
    .description('list them, with what is used and what ended')
    .action(() => list(terminal()));
  standing
    .command('revoke <standing>')
    .description('end one; the next payment is asked for again; asks first')
    .option('--yes', 'you are sure', false)
    .action((grantId: string, { yes }: { yes: boolean }) => revoke(terminal(), grantId, yes));
};

const list = async (terminal: Terminal): Promise<void> => {
  const answer = await asOwner(terminal).ask('listGrants');
  show(terminal, answer, () =>
    answer.grants.length === 0
      ? ['There are none. You are asked about each payment that needs your approval.']
      : table(
          terminal,
          ['STANDING', 'AGENT', 'SERVICE', 'USED', 'UP TO', 'UNTIL', 'PAYEES', 'ENDED'],
          answer.grants.map((grant) => [
            grant.grantId,
            grant.agentId,
            grant.serviceId,
            grant.used,
            grant.upTo,
            moment(grant.until),
            grant.payees.join(' '),
            grant.endedBecause ?? (grant.revokedAt === null ? '' : `by you, ${moment(grant.revokedAt)}`),
          ]),
        ),
  );
};

const revoke = async (terminal: Terminal, grantId: string, isConfirmed: boolean): Promise<void> => {
  const owner = asOwner(terminal);
  await confirm(terminal, `End the standing approval ${grantId}?`, isConfirmed);
  const ended = await owner.ask('revokeGrant', { params: { grantId } });
  show(terminal, ended, () => facts([[ended.grantId, 'ended']]));
};
