// Whether other machines reach the treasury at its public address, where it has one, and by that door alone.
import type { Client } from '../../client/client.ts';
import type { Check } from './check.ts';

export const tunnelChecks = async (owner: Client, publicUrl: string | null): Promise<Check[]> => {
  if (publicUrl === null) return [];
  const { problem } = await owner.ask('checkPublicAddress');
  return [
    problem === null
      ? { name: 'Tunnel', state: 'ok', found: `${publicUrl} leads here` }
      : { name: 'Tunnel', state: 'failed', found: `${publicUrl} does not work as it should`, next: problem },
  ];
};
