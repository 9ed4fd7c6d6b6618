// The rule of an account's name, for the contract and for a form that checks it while somebody types.
const part = '[A-Z0-9][A-Za-z0-9-]*';

export const accountPattern = new RegExp(
  `^(?!Assets:Treasury(:|$))(Assets|Liabilities|Equity|Income|Expenses)(:${part})+$`,
);

/** Follows the name of its field, or "It". */
export const accountRule =
  'must be an account such as Expenses:Research: Assets, Liabilities, Equity, Income or Expenses, then names of letters, digits and hyphens that begin with a capital letter or a digit, with colons between them; Assets:Treasury is for the treasury’s own wallets';
