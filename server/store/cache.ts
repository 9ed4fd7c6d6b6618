// Caches rows that every payment reads and that rarely change. The journal empties it, since every write passes there;
// no other process can write, since the database is locked.

export interface Cache<T> {
  get(key: string, read: () => T): T;
  clear(): void;
}

const most = 4_096;

export const createCache = <T>(): Cache<T> => {
  const known = new Map<string, T>();
  return {
    get(key, read) {
      if (known.has(key)) return known.get(key) as T;
      if (known.size >= most) known.clear();
      const value = read();
      known.set(key, value);
      return value;
    },
    clear: () => known.clear(),
  };
};
