// Phrases that readers stumbled over. They stay out of dashboard, desktop, command, bridge, API and documents.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const retired: readonly RegExp[] = [
  /your word\b/i,
  /\b(your|no) ceiling\b/i,
  /\bwait\w* for your\b(?! approval| answer)/i,
  /policy or you refused/i,
  /asks you for nothing/i,
  /without your/i,
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
  /take USDC back|give USDC\b/i,
  /in its stead/i,
  /a further key/i,
  /not valid any more/i,
  /takes? the place of/i,
  /goes? on without/i,
  /is called that/i,
  /\bany more\b/i,
  /\blook again\b/i,
  /\bsays? yes\b/i,
  /\bin force of\b/i,
  /\bby its own wish\b/i,
  /\bsee to the\b/i,
  /\bor never was\b/i,
  /\bwent away\b/i,
  /\bfor the owner’s word\b/i,
  /\basks? to be let\b/i,
  /\b(owner.s|your) (word|yes)\b/i,
  /\bunless told\b/i,
  /in the way of one/i,
  /\blives? from it\b/i,
  /\bis like that\b/i,
  /says what was found/i,
  /\byou are told nothing\b/i,
  /\bits reader\b/i,
  /for anything to be usual/i,
  // American spelling, but for the contract’s own names.
  /\b(colour|favour|behaviour|honour|neighbour|licence|judgement)/i,
  /\b(labelled|cancelling|misspelt|learnt|burnt|greys?|afterwards|towards|upwards|backwards)\b/i,
  /\b(recogn|normal|minim|optim|author|summar|organ|synchron)is(e|es|ed|er|ing|able|ation)\b/i,
  /(?<!--cost-|'cost )\bcentres?\b/i,
  /\bcancelled (before|it|while)\b/i,
];

/** A source without its comments, on one line, since a sentence may span several. */
export const wordsOf = (source: string): string =>
  source
    .replaceAll(/\/\*.*?\*\//gs, ' ')
    .replaceAll(/(^|\s)\/\/.*$/gm, ' ')
    .replaceAll(/<!--.*?-->/gs, ' ')
    .replaceAll(/\{' '\}/g, ' ')
    .replaceAll(/\s+/g, ' ');

/** The files below a folder of the repository, by their endings. */
export const filesBelow = (folder: string, endings: RegExp): string[] => {
  const root = new URL(`../${folder}/`, import.meta.url).pathname;
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
};

/** Those of the files that hold the phrase. */
export const filesWith = (phrase: RegExp, files: readonly string[]): string[] =>
  files.filter((file) => phrase.test(wordsOf(readFileSync(file, 'utf8'))));
