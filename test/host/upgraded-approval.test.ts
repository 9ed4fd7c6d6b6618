// A payment that version 0.1 held for the owner names no API key. Once granted, it is decided again like any other.
import { expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, until } from '../harness/treasury.ts';

const newFolder = useFolders();

it.each(['of now', 'of version 0.1'])(
  'a held payment %s is not signed when its service changed its payee after the grant',
  async (whose) => {
    const treasury = await openTreasury({ dataDir: newFolder() });
    const { client, host } = treasury;
    const { store, chain } = host.engine.context;
    const agent = await deploy(client, 'a', { policy: { approveAbove: '0' } });
    const held = (await agent.pay('0.1', { prefer: 'wait=0' })).body;
    const { get } = store.transfers;
    if (whose !== 'of now')
      store.transfers.get = (id) => {
        const row = get(id);
        return row?.kind === 'payment' ? { ...row, keyId: null } : row;
      };
    const { lifetime } = chain;
    chain.lifetime = () => {
      store.atomically(() => store.services.pin('sandbox-weather', [agent.wallet]));
      return lifetime();
    };
    const { approvalId, hash } = (await client.get(`/v1/approvals/${String(held['approvalId'])}`)).body;
    expect((await client.post(`/v1/approvals/${String(approvalId)}/grant`, { hash })).status).toBe(200);
    const row = () => store.transfers.get(String(held['paymentId']));
    await until('its end', () => row()?.endedAt != null);
    expect(row()).toMatchObject({
      state: 'cancelled',
      signed: null,
      refusal: { code: 'approval_cancelled' },
    });
    await treasury.close();
  },
);
