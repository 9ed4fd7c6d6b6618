// Idempotency keys of calls that move money. A call that ended without its last answer keeps its key, so that the same
// call made again asks about the same payment and does not make another.

export interface OpenCall<M> {
  readonly key: string;
  /** Once the treasury told it. */
  paymentId: string | null;
  /** What else the repeated call has to know. */
  memory: M | null;
}

export interface OpenCalls<M> {
  /** The unanswered call of this kind that nobody waits for, or a new one. */
  take(kind: string): OpenCall<M>;
  /** Its last answer has not come: the next such call goes on with it. */
  leave(kind: string, call: OpenCall<M>): void;
  /** A payment is settled: what asks for the like of it from now on means another one. */
  settle(paymentId: string): void;
}

const mostKept = 1_000;

export const createOpenCalls = <M>(newKey: () => string): OpenCalls<M> => {
  let left: { kind: string; call: OpenCall<M> }[] = [];
  return {
    take(kind) {
      const index = left.findIndex((one) => one.kind === kind);
      const [found] = index < 0 ? [] : left.splice(index, 1);
      return found?.call ?? { key: newKey(), paymentId: null, memory: null };
    },
    leave(kind, call) {
      left = [...left, { kind, call }].slice(-mostKept);
    },
    settle(paymentId) {
      left = left.filter(({ call }) => call.paymentId !== paymentId);
    },
  };
};
