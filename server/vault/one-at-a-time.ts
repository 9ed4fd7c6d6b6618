/** Runs changes one after the other, in the order of the calls, whether or not an earlier one failed. */
export const createOneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
};
