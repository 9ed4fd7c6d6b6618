// The model tokens of a month by supplier, which are not on the chain, each with a form for its invoice.
import { Text } from '@mantine/core';
import { useState } from 'react';
import { modelsWords, tokensWords } from '../../../server/contract/books/book-words.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { counted } from '../../shared/format.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { outdate, useOwner } from '../../stores/queries.ts';
import type { Month } from './month-words.ts';

export const ModelTokens = ({ month }: { month: Month }) => {
  const { suppliers = [] } = useOwner('bookModels', { params: { month: month.month } }).data ?? {};
  if (suppliers.length === 0) return null;
  return (
    <Panel title="Model tokens" note={modelsWords}>
      {suppliers.map((one) => (
        <Supplier key={`${month.month} ${one.supplierId}`} month={month} one={one} />
      ))}
    </Panel>
  );
};

type Tokens = Reply<'bookModels'>['suppliers'][number];

const Supplier = ({ month: { month, state }, one }: { month: Month; one: Tokens }) => {
  const [amount, setAmount] = useState('');
  const { supplierId } = one;
  const saving = useWork(async () => {
    await ask('addModelInvoice', { params: { month }, body: { supplierId, amount } });
    outdate(['bookModels']);
  });
  return (
    <Form gap="xs" onSubmit={() => void saving.run()}>
      <Text>
        <b>{supplierId}</b>, {counted(one.requests, 'request')}: <Amount value={one.total} />
        <br />
        {tokensWords(one)}
      </Text>
      {state !== 'running' && (
        <div className="not-printed">
          <MoneyInput
            label={`Invoice of ${supplierId} for the whole month`}
            mb="xs"
            value={amount}
            onChange={({ currentTarget: { value } }) => setAmount(value)}
          />
          <FormEnd of={saving} notDone="The invoice was not entered." variant="default">
            Enter the invoice
          </FormEnd>
        </div>
      )}
    </Form>
  );
};
