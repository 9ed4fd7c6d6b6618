/** The number that an option says. @throws Error when it is none above zero, or has too many digits */
export const whole = (name: string, text: string, digits: number): number => {
  if (!/^[1-9]\d*$/.test(text) || text.length > digits)
    throw new Error(`--${name} must be a whole number above zero`);
  return Number(text);
};
