// Examples of each subcommand, for --help. A test parses every line.

/** By the subcommand's words. What stands behind `#` is said to the reader. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  'books anchor': ['treasury books anchor', 'treasury books anchor on'],
  'books statement': ['treasury books statement --from 2030-01-01 --to 2030-01-31 --out january.jsonl'],
  verify: [
    'treasury verify january.jsonl --signer 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --rpc https://api.mainnet-beta.solana.com',
  ],
  login: ['treasury login', 'treasury login --passphrase-fd 3 3< passphrase.txt  # on a headless host'],
  link: ['treasury link', 'treasury link --agent scout --no-browser'],
  pay: ['treasury pay scout sandbox-weather 0.01', 'treasury pay scout sandbox-weather 0.01 --key order-17'],
  payment: ['treasury payment pay_01k2'],
  delivery: ['treasury delivery pay_01k2', 'treasury delivery pay_01k2 -o report.json'],
  fetch: [
    'treasury fetch https://api.example.com/report --max-amount 0.10 -o report.json',
    'treasury fetch https://api.example.com/search -d \'{"q":"solana"}\' -H "Content-Type: application/json"',
  ],
  generate: ['treasury generate "a lighthouse at dusk" --model gpt-image-2 -o lighthouse.png'],
  models: ['treasury models'],
  withdraw: [
    'treasury withdraw 25 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    'treasury withdraw 0.5 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --sol',
  ],
  history: ['treasury history', 'treasury history scout --limit 50'],
  statement: [
    'treasury statement --from 2030-01-01 --to 2030-01-31 --out january.csv',
    'treasury statement --format json',
  ],
  'books export': [
    'treasury books --format hledger --out books-hledger.journal --replace',
    'treasury books --format ofx --from 2030-01-01 --to 2030-01-31 --out january.ofx',
    'treasury books --format spreadsheet --gzip --out books.csv.gz',
  ],
  'books formats': ['treasury books formats'],
  'books months': ['treasury books months', 'treasury books months --json | jq -r ".months[].state"'],
  'books month': ['treasury books month 2030-01'],
  'books close': ['treasury books close 2030-01  # exit code 1 when it does not match'],
  'books rules list': ['treasury books rules'],
  'books rules add': [
    'treasury books rules add --origin https://api.example.com --account Expenses:Research',
    'treasury books rules add --agent scout --service web-search --account Expenses:Research --cost-centre "R&D" --first',
  ],
  'books rules change': [
    'treasury books rules change rule_01k2 --account Expenses:Weather --cost-centre none',
    'treasury books rules change rule_01k2 --first',
  ],
  'books rules remove': ['treasury books rules remove rule_01k2'],
  'books rules preview': ['treasury books rules preview --service web-search --month 2030-01'],
  mcp: ['treasury mcp  # as the command of an MCP host'],
  'mcp install': [
    'treasury mcp install claude-code --agent scout --dry-run',
    'treasury mcp install cursor --agent scout',
    'treasury mcp install cursor --agent scout --proxy weather  # its server weather goes through the proxy',
    'treasury mcp install cursor --proxy weather --undo',
  ],
  'mcp add': ['treasury mcp add weather -- npx -y weather-mcp'],
  'mcp proxy': [
    'treasury mcp proxy --name weather -- npx -y weather-mcp  # as the command of an MCP host',
    'treasury mcp proxy --url https://mcp.example.com/mcp',
  ],
  doctor: ['treasury doctor'],
  completion: [
    'source <(treasury completion bash)  # in ~/.bashrc',
    'source <(treasury completion zsh)  # in ~/.zshrc, after compinit',
    'treasury completion fish | source  # in ~/.config/fish/config.fish',
  ],
};
