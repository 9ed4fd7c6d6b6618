// `treasury standing`: the standing approvals, by which an agent pays a service without asking each time.
import { commandGroup, ownerCommand } from '../command-row.ts';
import { facts, listing, moment } from '../table.ts';

export const addStanding = commandGroup(
  'standing',
  'standing approvals: what an agent may pay without asking you each time',
  [
    ownerCommand('list', {
      isDefault: true,
      about: 'list them, with what is used and what ended',
      examples: ['treasury standing'],
      ask: (owner) => owner.ask('listGrants'),
      show: ({ grants }, terminal) =>
        listing(
          terminal,
          grants,
          'There are none. You are asked about each payment that needs your approval.',
          {
            STANDING: 'grantId',
            AGENT: 'agentId',
            SERVICE: 'serviceId',
            USED: 'used',
            'UP TO': 'upTo',
            UNTIL: ({ until }) => moment(until),
            PAYEES: ({ payees }) => payees.join(' '),
            ENDED: ({ endedBecause, revokedAt }) =>
              endedBecause ?? (revokedAt === null ? '' : `by you, ${moment(revokedAt)}`),
          },
        ),
    }),
    ownerCommand('revoke <standing>', {
      about: 'end one; the next payment is asked for again; asks first',
      examples: ['treasury standing revoke grt_01k2'],
      confirm: ({ standing }) => `End the standing approval ${standing}?`,
      ask: (owner, { standing: grantId }) => owner.ask('revokeGrant', { params: { grantId } }),
      show: ({ grantId }) => facts([[grantId, 'ended']]),
    }),
  ],
  'grants',
);
