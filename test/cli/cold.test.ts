// `treasury cold` against a real treasury and a cold wallet that signs for real.
import { describe, expect, it } from 'vitest';
import { createColdWallet } from '../harness/cold-wallet.ts';
import { command, treasury, useTreasury } from './cli-treasury.ts';

useTreasury();

describe('treasury cold return', () => {
  it('sends all that the treasury itself holds to the cold wallet, after it was confirmed', async () => {
    expect((await command(['cold', 'return', '--yes'])).stderr).toContain('There is no cold treasury');
    const cold = await createColdWallet(treasury.host.rpcUrl, 1_000_000n);
    await command(['cold', 'set', cold.address, '--yes']);
    const unsure = await command(['cold', 'return']);
    expect(unsure.code).not.toBe(0);
    expect((await cold.account()).balance).toBe(1_000_000n);
    const sent = await command(['cold', 'return', '--yes', '--key', 'back']);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toContain(`990.00 USDC to ${cold.address}`);
    expect((await cold.account()).balance).toBe(991_000_000n);
    const empty = await command(['cold', 'return', '--yes']);
    expect(empty.stderr).toContain('holds nothing');
    expect((await cold.account()).balance).toBe(991_000_000n);
  });

  it('is followed by draws, which the command that looks a transfer up names', async () => {
    const cold = await createColdWallet(treasury.host.rpcUrl, 50_000_000n);
    expect((await command(['cold', 'forget'])).code).toBe(0);
    await command(['cold', 'set', cold.address, '--yes']);
    await cold.allow(treasury.owner, 20_000_000n);
    const { body } = await treasury.client.post('/v1/agents/scout/allocate', { amount: '1.00' });
    const { stdout } = await command(['payment', String(body['transferId'])]);
    expect(stdout).toContain(`the cold treasury ${cold.address}`);
  });
});

describe('treasury cold allow', () => {
  it('prints the command for the Ledger’s first account, and pauses draws for it', async () => {
    const { stdout } = await command(['cold', 'allow', '5']);
    expect(stdout).toContain('--owner "usb://ledger?key=0"');
    expect(stdout).toContain('Draws pause for two minutes.');
    expect((await treasury.client.get('/v1/cold')).body['cold'].pausedUntil).not.toBeNull();
  });
});

describe('a word that no subcommand has', () => {
  it.each([
    ['cold', 'revoke'],
    ['phone', 'freeze'],
    ['groups', 'foo'],
  ])('%s %s is named as unknown', async (name, word) => {
    const { code, stderr } = await command([name, word]);
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown command '${word}'. See: treasury ${name} --help`);
  });
});
