import { describe, expect, it } from 'vitest';
import { commandsFor, matching } from '../../renderer/shell/palette/commands.ts';

describe('the palette', () => {
  it('lists an agent before what can be done with it, and without text nothing but places', () => {
    const summary = { agentId: 'a', displayName: 'Alpha', status: 'active' };
    const commands = commandsFor([summary as never], () => 'Alpha');
    expect(matching(commands, 'alpha').map(({ label }) => label)).toEqual([
      'Alpha',
      'Pause Alpha',
      'Give Alpha money',
    ]);
    expect(matching(commands, '').every(({ does }) => does.kind === 'open')).toBe(true);
    expect(matching(commands, 'stop alpha').map(({ label }) => label)).toEqual(['Pause Alpha']);
  });
});
