// `treasury policy`: prints an agent's policy, or changes the given fields.
import { unknownServicesSentence } from '../../contract/limits/service-limits.ts';
import { fieldEntries } from '../../contract/limits/policy-fields.ts';
import { reasonFrom, reasonOption } from '../arguments.ts';
import { agentOrOwnerCommand } from '../command-row.ts';
import { changeIn, optionOf, printed } from './policy-options.ts';
import { facts } from '../table.ts';

export const addPolicy = agentOrOwnerCommand('policy <agent>', {
  about: 'print an agent’s policy, or change the fields that are given',
  examples: [
    'treasury policy scout',
    'treasury policy scout --daily-budget 5 --approve-above 1 --new-payees approve',
    'treasury policy scout --allowed-services sandbox-weather,https://api.example.com',
  ],
  options: {
    ...Object.fromEntries(fieldEntries.map(([name, field]) => [name, optionOf(name, field)])),
    reason: reasonOption,
  },
  ask(session, { agent: agentId, reason, ...fields }) {
    const params = { agentId };
    const change = changeIn(fields);
    if (Object.keys(change).length === 0) return session.ask('getPolicy', { params });
    return session.ask('setPolicy', { params, body: { ...change, ...reasonFrom(session.role, reason) } });
  },
  show: ({ policy, unknownServices }) => [
    ...facts(
      fieldEntries.map(([name, field]) => {
        const { label, before = '' } = field.command;
        return [label, `${before}${printed(field, policy[name])}`];
      }),
    ),
    ...unknownServicesSentence(unknownServices),
  ],
});
