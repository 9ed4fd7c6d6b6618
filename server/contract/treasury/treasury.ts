// The treasury as a whole: its stops, its funds, and the cold treasury that it draws on.
import { owner, type Route } from '../route.ts';

export const treasuryRoutes = {
  freeze: owner('POST /v1/freeze', 'Stop everything at once'),
  unfreeze: owner('POST /v1/unfreeze', 'Lift the freeze'),
  lock: owner('POST /v1/lock', 'Drop all signing keys from memory'),
  unlock: owner('POST /v1/unlock', 'Load the signing keys into memory'),
  changePassphrase: owner('POST /v1/passphrase', 'Change the passphrase that protects the keys'),
  keepPhrase: owner('POST /v1/treasury/phrase-kept', 'Note that the recovery phrase is on paper'),
  dashboard: owner('GET /v1/dashboard', 'Treasury, agents and recent activity'),
  deposits: owner('GET /v1/treasury/deposits', 'USDC and SOL that came in from outside'),
  withdraw: owner('POST /v1/treasury/withdraw', 'Send USDC or SOL out of the treasury'),
  listLabels: owner('GET /v1/labels', 'The owner’s labels of addresses'),
  setLabel: owner('POST /v1/labels', 'Label an address, or remove its label with null'),
  getCold: owner('GET /v1/cold', 'The cold wallet, and what may still be drawn on it'),
  setCold: owner(
    'POST /v1/cold',
    'Draw allocations on the USDC account of this address, as far as its owner allows it on the chain',
  ),
  forgetCold: owner('DELETE /v1/cold', 'Stop using the cold wallet; its owner revokes the allowance first'),
  stopDrawing: owner(
    'POST /v1/cold/stop',
    'Draw nothing until you resume; stops this treasury only, not somebody who stole its key',
  ),
  resumeDrawing: owner('POST /v1/cold/resume', 'Draw on it again'),
  prepareAllowance: owner(
    'POST /v1/cold/allowance',
    'The transaction that sets the allowance, for the cold wallet to sign; draws pause meanwhile',
  ),
  sendAllowance: owner(
    'POST /v1/cold/allowance/send',
    'Send it, signed; refused when the wallet changed anything in it',
  ),
  getAllowance: owner('GET /v1/cold/allowance', 'What became of the last allowance that was sent'),
  pauseDrawing: owner(
    'POST /v1/cold/pause',
    'Draw nothing for two minutes, while the owner signs another allowance; or end that',
  ),
} as const satisfies Record<string, Route>;

const many = 1_000;

/** How far the SOL for fees goes: "0.05 SOL, enough for 9 transfers". */
export const feesLeft = (transfers: number): string => {
  if (transfers > many) return 'plenty';
  return `enough for ${transfers.toLocaleString('en')} ${transfers === 1 ? 'transfer' : 'transfers'}`;
};
