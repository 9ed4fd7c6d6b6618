// Examples of each subcommand, for --help. A test parses every line.

/** By the subcommand's words. What stands behind `#` is said to the reader. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  login: ['treasury login', 'treasury login --passphrase-fd 3 3< passphrase.txt  # on a headless host'],
  link: ['treasury link', 'treasury link --agent scout --no-browser'],
  status: ['treasury status', 'treasury status --json | jq .treasury'],
  agents: ['treasury agents', 'treasury agents --json | jq -r ".agents[].agentId"'],
  deploy: [
    'treasury deploy scout --daily-budget 5 --max-per-payment 0.50 --allocate 10',
    'treasury deploy writer --daily-budget 1 --max-per-payment 1 --name "The writer"',
  ],
  rename: ['treasury rename scout "Research Scout"'],
  kill: ['treasury kill scout'],
  resume: ['treasury resume scout'],
  allocate: [
    'treasury allocate scout 10',
    'treasury allocate scout 10 --key april  # repeated, it is done once',
  ],
  recall: ['treasury recall scout 2.50'],
  policy: [
    'treasury policy scout',
    'treasury policy scout --daily-budget 5 --approve-above 1 --new-payees approve',
    'treasury policy scout --allowed-services sandbox-weather,https://api.example.com',
  ],
  freeze: ['treasury freeze', 'treasury freeze --reason "the invoices look wrong"'],
  unfreeze: ['treasury unfreeze'],
  lock: ['treasury lock'],
  unlock: ['treasury unlock', 'treasury unlock --passphrase-fd 3 3< passphrase.txt'],
  approvals: ['treasury approvals', 'treasury approvals --all'],
  approve: [
    'treasury approve apr_01k2',
    'treasury approve apr_01k2 --up-to 5 --until 2031-01-31  # and further payments to that service',
  ],
  deny: ['treasury deny apr_01k2'],
  grants: ['treasury grants'],
  pay: ['treasury pay scout sandbox-weather 0.01', 'treasury pay scout sandbox-weather 0.01 --key order-17'],
  payment: ['treasury payment pay_01k2'],
  services: ['treasury services weather', 'treasury services --limit 100'],
  fetch: [
    'treasury fetch https://api.example.com/report --max-amount 0.10 -o report.json',
    'treasury fetch https://api.example.com/search -d \'{"q":"solana"}\' -H "Content-Type: application/json"',
  ],
  history: ['treasury history', 'treasury history scout --limit 50'],
  statement: [
    'treasury statement --from 2030-01-01 --to 2030-01-31 --out january.csv',
    'treasury statement --format json',
  ],
  'catalog sources': ['treasury catalog sources'],
  'catalog add': ['treasury catalog add https://facilitator.example.com --name Example'],
  'catalog refresh': ['treasury catalog refresh src_01k2'],
  'catalog remove': ['treasury catalog remove src_01k2'],
  backup: ['treasury backup', 'treasury backup /media/stick/treasury.db'],
  mcp: ['treasury mcp  # as the command of an MCP host'],
  'mcp install': [
    'treasury mcp install claude-code --agent scout --dry-run',
    'treasury mcp install cursor --agent scout',
  ],
  doctor: ['treasury doctor'],
  completion: [
    'source <(treasury completion bash)  # in ~/.bashrc',
    'source <(treasury completion zsh)  # in ~/.zshrc, after compinit',
    'treasury completion fish | source  # in ~/.config/fish/config.fish',
  ],
};
