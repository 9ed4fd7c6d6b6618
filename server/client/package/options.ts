// Where the treasury is, and the agent that a program acts for.

/** Each is taken from the environment, or from the file of a linked machine, where it is not given. */
export interface TreasuryOptions {
  /** As `http://127.0.0.1:PORT`; otherwise TREASURY_URL, or the address of the treasury that runs here. */
  url?: string;
  /** The owner's wallet address; otherwise TREASURY_OWNER. */
  owner?: string;
  /** Otherwise TREASURY_AGENT_ID. */
  agentId?: string;
  /** Otherwise TREASURY_API_KEY, or the content of the file that TREASURY_API_KEY_FILE names. */
  apiKey?: string;
}
