// Errors with the codes of a real node, by which clients distinguish cases.

export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailure: -32002,
  signatureFailure: -32003,
  blockNotAvailable: -32004,
  slotSkipped: -32007,
  unsupportedVersion: -32015,
  minContextSlot: -32016,
} as const;

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(kind: keyof typeof rpcCodes, message: string, data?: unknown) {
    super(message);
    this.code = rpcCodes[kind];
    this.data = data;
  }
}

export const invalidParams = (message: string): RpcError => new RpcError('invalidParams', message);
