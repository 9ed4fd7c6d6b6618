// One of everything that the path of a route can name.
import { Keypair } from '@solana/web3.js';
import { deploy, until, type Treasury } from '../harness/treasury.ts';
import { newPhone, registerPhone } from '../harness/phone.ts';

/** By the parameters of paths. */
export type Names = Record<string, string>;

/** Makes one of everything that a path can name, by an agent `payer`. */
export const namesIn = async (treasury: Treasury): Promise<Names> => {
  const agent = await deploy(treasury.client, 'payer', { policy: { approveAbove: '0.5' } });
  const desktop = { kind: 'desktop', kinds: ['approval'] };
  const channel = await treasury.client.post('/v1/notices/channels', desktop);
  const asked = await agent.pay('0.6');
  const refused = await agent.pay('99');
  const boosted = await treasury.client.post('/v1/agents/payer/boost', { amount: '1' });
  await treasury.client.post('/v1/agents/payer/delegation', { allowed: true });
  const delegated = await agent.client.post('/v1/agents/payer/delegated-keys', {
    label: 'a task',
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    dailyBudget: '1',
  });
  const notices = await treasury.client.get('/v1/notices');
  const group = await treasury.client.post('/v1/groups', { name: 'Research' });
  const { body } = await treasury.client.get('/v1/agents/payer/keys');
  const login = await treasury.client.post('/v1/logins', { terminal: 'a terminal' });
  const link = await treasury.client.post('/v1/link-sessions', {});
  const rule = await treasury.client.post('/v1/books/rules', {
    serviceId: 'sandbox-weather',
    account: 'Expenses:Weather',
  });
  const waiting = await treasury.client.get('/v1/link-sessions');
  const wallet = { kind: 'wallet', subject: Keypair.generate().publicKey.toBase58() };
  const identity = await treasury.client.post('/v1/identities', wallet);
  const [model] = (await treasury.client.get('/v1/models')).body['models'];
  const picture = { prompt: 'x', modelId: model.id, resolution: '1k' };
  const task = await treasury.client.post('/v1/agents/payer/generate', picture);
  // It is refused when it is contacted: its address is not public.
  const source = await treasury.client.post('/v1/catalog-sources', { url: 'https://127.0.0.1:1/' });
  const names = {
    agentId: 'payer',
    phoneWalletId: await registerPhone(treasury, await newPhone(treasury)),
    boostId: String(boosted.body['boost'].boostId),
    delegatedKeyId: String(delegated.body['keyId']),
    groupId: String(group.body['groupId']),
    month: String((await treasury.client.get('/v1/books/months')).body['months'][0].month),
    exportId: '00000000-0000-4000-8000-000000000000',
    ruleId: String(rule.body['ruleId']),
    keyId: String(body['keys'][0].keyId),
    approvalId: String(asked.body['approvalId']),
    transferId: String(refused.body['details'].paymentId),
    paymentId: String(asked.body['paymentId']),
    loginId: String(login.body['loginId']),
    token: String(link.body['token']),
    linkId: String(waiting.body['links'][0].linkId),
    identityId: String(identity.body['identityId']),
    modelId: String(model.id),
    taskId: String(task.body['taskId']),
    providerId: 'openai',
    serviceId: 'sandbox-weather',
    sourceId: String(source.body['sourceId']),
    channelId: String(channel.body['channelId']),
    noticeId: String(notices.body['notices'][0].noticeId),
  };
  await until('the picture', () => treasury.host.engine.context.store.tasks.unsettled().length === 0);
  return names;
};
