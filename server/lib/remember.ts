/** Remembers the last `limit` results of a pure function; the oldest leaves first. */
export const remember = <K, T>(compute: (key: K) => T, limit = 4_096): ((key: K) => T) => {
  const known = new Map<K, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    const oldest = known.keys().next();
    if (known.size >= limit && oldest.done === false) known.delete(oldest.value);
    known.set(key, value);
    return value;
  };
};
