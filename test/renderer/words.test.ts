// The dashboard speaks as a good wallet does: phrases that readers stumbled over stay out of it.
import { describe, expect, it } from 'vitest';
import { filesBelow, filesWith, retired, wordsOf } from '../retired-words.ts';

const files = filesBelow('renderer', /\.(tsx?|html)$/);

/** Harmless elsewhere. */
const retiredHere: readonly RegExp[] = [
  /how it was\b/i,
  /label: '(Confirmed|Pending|Charge|Recall|Allocation|Made)'/,
  /"Offered"/,
  /label="(RPC|Issuer|Sender|Id)"/,
];

describe('the words of the dashboard', () => {
  it.each([...retired, ...retiredHere].map((phrase) => [String(phrase), phrase] as const))(
    'are never %s',
    (_, phrase) => {
      expect(filesWith(phrase, files)).toEqual([]);
    },
  );

  it('are read from all of its sources', () => {
    expect(files.length).toBeGreaterThan(200);
    expect(wordsOf("// your word\n<Text>waits for{' '}\n  your word</Text> /* for ever */")).toMatch(
      /^ <Text>waits for your word<\/Text> $/,
    );
  });
});
