// Events as the owner's clients get them.
import type { OwnerEvent } from '../../contract/owner-api.ts';
import type { EngineEvent } from '../ports.ts';
import { activityView, approvalView, depositView } from './views.ts';

/** An event as the owner's clients get it. */
export const eventView = (event: EngineEvent): OwnerEvent => {
  switch (event.type) {
    case 'transfer':
      return { type: 'transfer', data: activityView(event.transfer) };
    case 'approval':
      return { type: 'approval', data: approvalView(event.approval) };
    case 'deposit':
      return { type: 'deposit', data: depositView(event.deposit) };
    case 'login':
      return { type: 'login', data: event.login };
    case 'link':
      return { type: 'link', data: event.link };
    case 'task':
      return { type: 'task', data: event.task };
    case 'catalog':
      return { type: 'catalog', data: event.source };
    case 'agent':
      return { type: 'agent', data: { agentId: event.agentId } };
    case 'service':
      return { type: 'service', data: { serviceId: event.serviceId } };
    case 'balance':
      return { type: 'balance', data: { wallet: event.wallet } };
    case 'freeze':
      return { type: 'freeze', data: { frozen: event.frozen, reason: event.reason } };
    case 'lock':
      return { type: 'lock', data: { locked: event.locked } };
    case 'ceiling':
    case 'labels':
    case 'cold':
    case 'phones':
    case 'notices':
    case 'network':
      return { type: event.type, data: {} };
    case 'halted':
      return { type: 'halted', data: { reason: event.reason } };
    case 'warning':
      return { type: 'warning', data: { code: event.code, message: event.message } };
  }
};
