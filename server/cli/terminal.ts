/** What every subcommand is given. */
export interface Terminal {
  dataDir: string;
  /** Machine-readable output is wanted. */
  json: boolean;
  print(line: string): void;
}
