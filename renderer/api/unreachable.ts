/** The treasury was stopped, or the connection to it broke. The request may have been carried out. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  constructor() {
    super(
      'The treasury cannot be reached. It may have been stopped; nothing is lost. Start it again where it ran.',
    );
  }
}
