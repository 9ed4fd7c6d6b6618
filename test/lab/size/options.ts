/** The number in an option. @throws Error unless it is whole, above zero, and has at most so many digits */
export const whole = (name: string, text: string, digits: number): number => {
  if (!/^[1-9]\d*$/.test(text) || text.length > digits)
    throw new Error(`--${name} must be a whole number above zero`);
  return Number(text);
};
