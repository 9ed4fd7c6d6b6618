// The owner at the terminal, and the change that is shown before it is made.
import { readEndpoint } from '../../client/endpoint.ts';
import { AppError } from '../../errors.ts';
import { becomeOwner } from '../login.ts';
import { asOwner } from '../session.ts';
import { sayOf, type Terminal } from '../terminal.ts';
import type { Owner, Shown } from './entry.ts';

/** A terminal that was not let in asks the owner first, where somebody sits at it. */
export const ownerOf = async (terminal: Terminal): Promise<Owner> => {
  const address = readEndpoint(terminal.dataDir).owner;
  try {
    const { ask } = asOwner(terminal);
    await ask('about');
    return { address, ask };
  } catch (error) {
    if (terminal.io.ask === null || !(error instanceof AppError) || error.code !== 'unauthorized')
      throw error;
    await becomeOwner(terminal, undefined);
    return { address, ask: asOwner(terminal).ask };
  }
};

const marked = (sign: string, text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => `${sign} ${line}`)
    .join('\n');

export const describeChange = (terminal: Terminal, { heading, before, after }: Shown): void => {
  const say = sayOf(terminal);
  say(heading);
  if (before !== null) say(marked('-', before));
  say(marked('+', after));
};
