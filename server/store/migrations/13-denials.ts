// A denial that takes effect a moment later, so that the owner can undo it.

export const denials = /* sql */ `
ALTER TABLE approval ADD COLUMN deny_at INTEGER;
`;
