// Enters the sales of a seller that is paid into the owner's wallets, from a file.
import { Button, DataList, FileButton, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { enterSales, salesFacts, salesFile, salesIn } from '../../../server/contract/books/sales.ts';
import { ask } from '../../api/owner.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { Command } from '../../shared/ui/CopyButton.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { outdate } from '../../stores/queries.ts';

export const Sales = () => {
  // A browser says nothing of a file that is chosen again.
  const empty = useRef<() => void>(null);
  const [entered, setEntered] = useState<ReturnType<typeof salesFacts> | null>(null);
  const enter = useWork(async (file: File) => {
    setEntered(null);
    const sold = salesIn(await file.text(), file.name);
    setEntered(salesFacts(await enterSales(sold, (sales) => ask('addBookSales', { body: { sales } }))));
    outdate(['bookTotals']);
  });
  return (
    <Panel
      title="Import sales"
      note="If you sell with the paywall or the gate, your buyers’ deposits become income in the books."
    >
      <div>
        <Text mb={4}>Create the file on the seller’s machine:</Text>
        <Command text={salesFile} what="command" />
      </div>
      <Text>Importing a file again adds only new sales.</Text>
      <div>
        <FileButton
          resetRef={empty}
          onChange={(file) => {
            empty.current?.();
            if (file !== null) void enter.run(file);
          }}
        >
          {(props) => (
            <Button
              {...props}
              w="fit-content"
              variant="default"
              leftSection={<IconUpload size={18} aria-hidden />}
              loading={enter.isBusy}
            >
              Import a file
            </Button>
          )}
        </FileButton>
        <ErrorNote
          error={enter.error}
          notDone="If a part was entered, importing the file again adds the rest."
        />
        <div role="status">
          {entered !== null && (
            <DataList size="sm" gap="sm" labelWidth={110}>
              {entered.map(
                ([label, words]) =>
                  words !== null && (
                    <Fact key={label} label={label}>
                      {words}
                    </Fact>
                  ),
              )}
            </DataList>
          )}
        </div>
      </div>
    </Panel>
  );
};
