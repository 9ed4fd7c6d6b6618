// The two ways in which a verification does not end well.

/** It could not be made: the file, the address or the RPC is not what it has to be. */
export class NotVerifiable extends Error {
  override readonly name = 'NotVerifiable';
}

/** The chain contradicts the statement. The message is half a sentence. */
export class Disproved extends Error {
  override readonly name = 'Disproved';
}
