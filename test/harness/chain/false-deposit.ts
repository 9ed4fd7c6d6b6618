// A deposit in the records that the chain does not know: the month that it is in differs.
import type { Treasury } from '../treasury.ts';

export const enterFalseDeposit = ({ host }: Treasury): void => {
  const { store } = host.engine.context;
  store.atomically(() => {
    for (const deposit of store.deposits.list(null, 1))
      store.deposits.insert({ ...deposit, id: 'dep_false', txSignature: 'false', status: 'confirmed' });
    store.deposits.settle('dep_false', 'final');
  });
};
