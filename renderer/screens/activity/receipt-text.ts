// A receipt as the owner reads it: its fields, or as it is where it cannot be read. The seller verifies it; this only shows it.
export const textOf = (receipt: string): string => {
  const [, base64 = ''] = /^v\d+\.([A-Za-z0-9+/]+={0,2})$/.exec(receipt) ?? [];
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return JSON.stringify(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), null, 2);
  } catch {
    return receipt;
  }
};
