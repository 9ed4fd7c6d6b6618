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

type Models = Reply<'bookModels'>;

export const ModelTokens = ({ month }: Pick<Models, 'month'>) => {
  const { suppliers = [] } = useOwner('bookModels', { params: { month } }).data ?? {};
  if (suppliers.length === 0) return null;
  return (
    <Panel title="Model tokens" note={modelsWords}>
      {suppliers.map((one) => (
        <Supplier key={`${month} ${one.supplierId}`} month={month} one={one} />
      ))}
    </Panel>
  );
};

const Supplier = ({ month, one }: Pick<Models, 'month'> & { one: Models['suppliers'][number] }) => {
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
      <MoneyInput
        className="not-printed"
        label={`Invoice of ${supplierId} for the whole month`}
        value={amount}
        onChange={({ currentTarget: { value } }) => setAmount(value)}
      />
      <FormEnd of={saving} notDone="The invoice was not entered." className="not-printed" variant="default">
        Enter the invoice
      </FormEnd>
    </Form>
  );
};
