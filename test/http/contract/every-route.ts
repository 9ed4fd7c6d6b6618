// One of everything that the path of a route can name.
import { Keypair } from '@solana/web3.js';
import type { Answer } from '../../harness/http-client.ts';
import { deploy, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { newPhone, registerPhone } from '../../harness/chain/phone.ts';

const day = 86_400_000;

/** By the parameters of paths. */
export type Names = Record<string, string>;

export const askingAgent = (treasury: Treasury, agentId: string): Promise<TestAgent> =>
  deploy(treasury.client, agentId, { policy: { approveAbove: '0.5' } });

interface Made {
  names: Names;
  delegatedKey: string;
}

/** Makes one of everything that a path can name, by this agent. @param subject the wallet that may sign in for links */
export const namesIn = async (
  treasury: Treasury,
  agent: TestAgent,
  subject = Keypair.generate().publicKey.toBase58(),
): Promise<Made> => {
  const { client, host } = treasury;
  const { agentId } = agent;
  const now = host.engine.context.time.now();
  const at = (days: number): string => new Date(now + days * day).toISOString();
  const made = async (path: string, body = {}): Promise<Answer['body']> =>
    (await client.post(path, body)).body;
  const channel = await made('/v1/notices/channels', { kind: 'desktop', kinds: ['approval'] });
  const asked = await agent.pay('0.8');
  const refused = await agent.pay('99');
  const boosted = await made(`/v1/agents/${agentId}/boost`, { amount: '1', until: at(5) });
  await made(`/v1/agents/${agentId}/delegation`, { allowed: true });
  const delegated = await agent.client.post(`/v1/agents/${agentId}/delegated-keys`, {
    label: 'a task',
    expiresAt: at(20),
    dailyBudget: '1',
  });
  const rule = { serviceId: 'sandbox-weather', account: 'Expenses:Weather' };
  const [model] = (await client.get('/v1/models')).body['models'];
  const picture = { prompt: 'x', modelId: model.id, resolution: '1k' };
  const task = await agent.client.post(`/v1/agents/${agentId}/generate`, picture);
  const names = {
    agentId,
    phoneWalletId: await registerPhone(treasury, await newPhone(treasury)),
    boostId: String(boosted['boost'].boostId),
    delegatedKeyId: String(delegated.body['keyId']),
    groupId: String((await made('/v1/groups', { name: 'Research' }))['groupId']),
    month: String((await client.get('/v1/books/months')).body['months'][0].month),
    exportId: '00000000-0000-4000-8000-000000000000',
    ruleId: String((await made('/v1/books/rules', rule))['ruleId']),
    keyId: String((await client.get(`/v1/agents/${agentId}/keys`)).body['keys'][0].keyId),
    approvalId: String(asked.body['approvalId']),
    transferId: String(refused.body['details'].paymentId),
    paymentId: String(asked.body['paymentId']),
    loginId: String((await made('/v1/logins', { terminal: 'a terminal' }))['loginId']),
    token: String((await made('/v1/link-sessions'))['token']),
    linkId: String((await client.get('/v1/link-sessions')).body['links'][0].linkId),
    identityId: String((await made('/v1/identities', { kind: 'wallet', subject }))['identityId']),
    modelId: String(model.id),
    taskId: String(task.body['taskId']),
    providerId: 'openai',
    supplierId: String((await made('/v1/model-suppliers', { kind: 'openai', name: 'Own' }))['supplierId']),
    serviceId: 'sandbox-weather',
    // It is refused when it is contacted: its address is not public.
    sourceId: String((await made('/v1/catalog-sources', { url: 'https://127.0.0.1:1/' }))['sourceId']),
    channelId: String(channel['channelId']),
    noticeId: String((await client.get('/v1/notices')).body['notices'][0].noticeId),
  };
  await until('the picture', () => host.engine.context.store.tasks.unsettled().length === 0);
  return { names, delegatedKey: String(delegated.body['apiKey']) };
};
