/** There is nobody to ask: the treasury was stopped, or the connection to it broke. What was asked may have been done. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  constructor() {
    super('The treasury cannot be reached. It may have been stopped; nothing is lost.');
  }
}
