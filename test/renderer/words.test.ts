// The dashboard speaks as a good wallet does: phrases that readers stumbled over stay out of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../../renderer/', import.meta.url).pathname;

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(tsx?|html)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

/** A source without its comments, on one line, since a sentence may span several. */
const wordsOf = (source: string): string =>
  source
    .replaceAll(/\/\*.*?\*\//gs, ' ')
    .replaceAll(/(^|\s)\/\/.*$/gm, ' ')
    .replaceAll(/<!--.*?-->/gs, ' ')
    .replaceAll(/\{' '\}/g, ' ')
    .replaceAll(/\s+/g, ' ');

const retired: readonly RegExp[] = [
  /your word\b/i,
  /\bwait\w* for your\b(?! approval| answer)/i,
  /policy or you refused/i,
  /asks you for nothing/i,
  /without your/i,
  /how it was\b/i,
  /\banew\b/i,
  /for ever\b/i,
  /backup of the money/i,
  /\blet (it|them) in\b/i,
  /all that you can do here/i,
  /whoever|whatever comes/i,
  /sits there/i,
  /more USDC is not more/i,
  /asks it what it costs/i,
  /asks to be paid for/i,
  /nobody can (say|take|give)/i,
  /take another way/i,
  /a program is this agent/i,
  /was shown once/i,
  /may keep this line/i,
  /owner with a key of/i,
  /ahead of time/i,
  /newly issued/i,
  /look at it\b/i,
  /look twice/i,
  /restrict it to this one/i,
  /leave it as it is/i,
  /\bneeds you\b/i,
  /label: '(Confirmed|Pending|Charge|Recall|Allocation|Made)'/,
  /take USDC back|give USDC\b/i,
  /"Offered"/,
  /in its stead/i,
  /a further key/i,
  /not valid any more/i,
  /takes? the place of/i,
  /goes? on without/i,
  /is called that/i,
  /label="(RPC|Issuer|Sender|Id)"/,
];

describe('the words of the dashboard', () => {
  it.each(retired.map((phrase) => [String(phrase), phrase] as const))('are never %s', (_, phrase) => {
    const found = files.filter((file) => phrase.test(wordsOf(readFileSync(file, 'utf8'))));
    expect(found.map((file) => file.slice(root.length))).toEqual([]);
  });

  it('are read from all of its sources', () => {
    expect(files.length).toBeGreaterThan(200);
    expect(wordsOf("// your word\n<Text>waits for{' '}\n  your word</Text> /* for ever */")).toMatch(
      /^ <Text>waits for your word<\/Text> $/,
    );
  });
});
