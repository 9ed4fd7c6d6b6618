// The options of a host, and the handle that its starter gets.
import type { Config } from '../config.ts';
import type { OwnerApi } from '../contract/owner-api.ts';
import type { Engine } from '../engine/engine.ts';
import type { Disk, MachineClock, Network } from '../engine/ports.ts';
import type { Restored } from '../engine/records/restore.ts';
import type { RootLog } from '../log.ts';
import type { Message } from '../notices/message.ts';
import type { ScryptCost } from '../vault/seal.ts';
import type { Vault } from '../vault/vault.ts';
import type { SaveBooks } from './book-stream.ts';
import type { Secrets } from './vault.ts';

export interface HostOptions extends Secrets {
  config: Config;
  log: RootLog;
  /** Default: the machine's clock. */
  clock?: MachineClock;
  /** Default: the machine's disk. */
  disk?: Disk;
  /** What a passphrase costs to check, once it is set here. Default: half a second. */
  scryptCost?: ScryptCost;
  /** The folder of the built dashboard; without it only /v1 is served. */
  dashboard?: string;
  /** Timeout of an image provider, in milliseconds. */
  pictureWithinMs?: number;
  /** How long a request through the proxy is held for the owner and the chain. Default: 60 s. */
  proxyHoldMs?: number;
  /** How an MCP host starts the bridge: the command and its first arguments. */
  bridge?: { command: string; args: readonly string[] };
  /** Shows a notice on the desktop; only the desktop application can. */
  showNotice?: (message: Message) => void;
  /** The words that start the command `treasury`, from any folder. */
  terminal?: readonly string[];
  /** Ends a start that is under way: what it has opened is closed. */
  ending?: AbortSignal;
}

export interface Host {
  url: string;
  owner: string;
  network: Network;
  rpcUrl: string;
  /** Null where no owner token is written to a file. */
  cookieFile: string | null;
  engine: Engine;
  vault: Vault;
  /** The owner's calls, for the desktop that runs this host. */
  api: OwnerApi;
  /** Writes the books into a file, for that desktop. */
  saveBooks: SaveBooks;
  /** A URL that signs a browser in to the dashboard once, within ten minutes; null where no dashboard is served. */
  newLoginUrl(): string | null;
  /** The address of the owner's tunnel, for other machines; null where there is none. */
  publicUrl(): string | null;
  /** Whether the owner has the recovery phrase on paper; always true on the sandbox. */
  isPhraseKept(): boolean;
  /** The words that print it. */
  exportPhrase: readonly string[];
  /** Null: this start did not read the records back from the chain. */
  restored: Restored | null;
  /**
   * Ends the work under way, then closes everything in reverse order. A part that fails or does not end is named in the log,
   * and keeps no other from being closed. @throws AggregateError of such faults, once all the rest is closed
   */
  close(): Promise<void>;
}

/** The parts that the stages opened, with the function that closes each. They are closed in reverse order. */
export type Closers = [part: string, close: () => unknown][];
