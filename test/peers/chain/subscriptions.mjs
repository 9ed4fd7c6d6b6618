// The websocket: signatures, accounts, and logs that mention an address, each once its commitment is reached, and slots.
// Other subscriptions are refused.
import { WebSocketServer } from 'ws';
import { accountView } from './views.mjs';

/** What a transaction that landed means to one subscription: the result of its notification, or null for nothing. */
const notifications = {
  signature: ([signature]) => ({
    ends: true,
    of: (record) => (record.signature === signature ? { err: record.meta.err } : null),
  }),
  account: ([address, options], ledger, commitment) => ({
    ends: false,
    of: (record) =>
      record.keys.includes(address)
        ? accountView(ledger.accountAt(address, commitment), options?.encoding)
        : null,
  }),
  logs: ([filter]) => ({
    ends: false,
    of: ({ signature, keys, meta }) =>
      filter?.mentions?.some((address) => keys.includes(address))
        ? { signature, err: meta.err, logs: meta.logMessages }
        : null,
  }),
  slot: () => ({ ends: false, of: () => null }),
};

const notify = ({ id, kind, socket }, result) => {
  const params = { subscription: id, result };
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: `${kind}Notification`, params }));
};

export const serveSubscriptions = (server, { ledger, slots, lag, slotMs, answer, isDown }) => {
  const sockets = new WebSocketServer({ server });
  const open = new Set();
  let lastId = 0;

  const fire = (subscription, record) => {
    if (!open.has(subscription) || isDown()) return;
    const value = subscription.of(record);
    if (value === null) return;
    if (subscription.ends) open.delete(subscription);
    notify(subscription, { context: { slot: slots.slotAt(subscription.commitment) }, value });
  };
  const fireLater = (subscription, record) => {
    const left = record.at + lag[subscription.commitment] - Date.now();
    setTimeout(() => fire(subscription, record), Math.max(0, left)).unref();
  };
  setInterval(() => {
    const slot = slots.slotAt('processed');
    const ofSlots = [...open].filter(({ kind }) => kind === 'slot');
    for (const subscription of ofSlots)
      notify(subscription, { slot, parent: slot - 1, root: slots.slotAt('finalized') });
  }, slotMs).unref();
  ledger.onLanded((record) => open.forEach((subscription) => fireLater(subscription, record)));

  const subscribe = (socket, kind, params) => {
    const commitment = params[1]?.commitment ?? 'finalized';
    lastId += 1;
    const subscription = {
      id: lastId,
      kind,
      socket,
      commitment,
      ...notifications[kind](params, ledger, commitment),
    };
    open.add(subscription);
    const landed = kind === 'signature' ? ledger.bySignature(params[0]) : null;
    // After the answer that gives the subscription its id.
    if (landed !== null) setImmediate(() => fireLater(subscription, landed));
    return subscription.id;
  };

  sockets.on('connection', (socket) => {
    if (isDown()) return socket.terminate();
    const reply = (id, body) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    socket.on('message', async (data) => {
      const request = JSON.parse(String(data));
      const { id, method, params = [] } = request;
      const [, kind, verb] = /^(\w+?)(Subscribe|Unsubscribe)$/.exec(method) ?? [];
      if (verb === 'Subscribe' && kind in notifications)
        return reply(id, { result: subscribe(socket, kind, params) });
      if (verb === 'Unsubscribe') {
        const found = [...open].find((one) => one.id === params[0] && one.socket === socket);
        return reply(id, { result: open.delete(found) });
      }
      socket.send(JSON.stringify(await answer(request)));
    });
    socket.on('close', () => open.forEach((one) => one.socket === socket && open.delete(one)));
  });
  return { cut: () => sockets.clients.forEach((socket) => socket.terminate()) };
};
