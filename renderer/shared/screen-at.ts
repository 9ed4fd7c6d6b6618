// The screen at an address. Some have tabs or pages with addresses of their own, and stay where only that part changes.

/** An agent's tabs keep what was typed in the others. */
export const withoutTab = (path: string): string => /^\/agents\/(?!group\/)[^/]+/.exec(path)?.[0] ?? path;

export const screenAt = (path: string): string =>
  /^\/(?:books|settings)(?=\/|$)/.exec(path)?.[0] ?? withoutTab(path);
