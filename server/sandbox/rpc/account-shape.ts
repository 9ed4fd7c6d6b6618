// The form in which a client wants accounts.
import { accountEncodings, type AccountEncoding, type AccountShape } from '../views/account-view.ts';
import { invalidParams } from './errors.ts';
import { configParam, integerParam, type Config } from './params.ts';

export const accountShape = (config: Config): AccountShape => {
  const encoding = config['encoding'] ?? 'binary';
  const known = accountEncodings.find((name) => name === encoding);
  if (known === undefined) throw invalidParams(`Invalid params: unknown variant \`${String(encoding)}\``);
  return { encoding: known satisfies AccountEncoding, slice: sliceOf(config['dataSlice']) };
};

const sliceOf = (value: unknown): AccountShape['slice'] => {
  if (value === undefined || value === null) return null;
  const { offset, length } = configParam(value);
  return { offset: integerParam(offset), length: integerParam(length) };
};
