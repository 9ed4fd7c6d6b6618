// Errors as Solana's RPC writes them. LiteSVM gives enums, whose names are listed here in the enums' order.
export const transactionErrors = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
];

const instructionErrors = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'InvalidError',
];

/** LiteSVM's error in the RPC's form: a name, or an object with one key. */
export const errorOf = (failure) => {
  if (typeof failure === 'number') return transactionErrors[failure] ?? 'SanitizeFailure';
  if ('accountIndex' in failure) return { InsufficientFundsForRent: { account_index: failure.accountIndex } };
  const inner = failure.err();
  const inInstruction =
    typeof inner === 'number'
      ? (instructionErrors[inner] ?? 'GenericError')
      : 'code' in inner
        ? { Custom: inner.code }
        : 'InvalidInstructionData';
  return { InstructionError: [failure.index, inInstruction] };
};

/** An answer with `error`. */
export class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const sentences = {
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
};

/** What `sendTransaction` answers when its preflight fails. */
export const preflightFailed = (err, logs = []) => {
  const why = typeof err === 'string' ? (sentences[err] ?? err) : JSON.stringify(err);
  const data = { accounts: null, err, logs, returnData: null, unitsConsumed: 0 };
  return new RpcError(-32_002, `Transaction simulation failed: ${why}`, data);
};
