// What agents may read of a command: nothing of its arguments, which may hold secrets in any form.
import { expect, it } from 'vitest';
import { publicWords } from '../../server/cli/install/masked.ts';

it.each([
  [
    ['npx', '-y', '@scope/weather-mcp@2'],
    ['npx', '-y', '@scope/weather-mcp@2'],
  ],
  [
    ['node', '/opt/weather/server.js'],
    ['node', '/opt/weather/server.js'],
  ],
  [['weather-mcp'], ['weather-mcp']],
  [
    ['/opt/bin/weather-mcp', 'stdio'],
    ['/opt/bin/weather-mcp', '…'],
  ],
])('of %j it is %j', (command, told) => {
  expect(publicWords(command)).toEqual(told);
});

it.each([
  ['npx', '-y', 'server-postgres', 'postgresql://app:S3cret@db.example/prod'],
  ['uvx', 'mcp-server-redis', 'redis://:S3cret@h:6379/0'],
  ['sh', '-c', 'export API_KEY=S3cret; exec my-mcp'],
  ['env', 'GITHUB_PAT=ghp_S3cret', 'github-mcp'],
  ['docker', 'run', '-e', 'GITHUB_PAT=ghp_S3cret', 'img'],
  ['docker', 'run', '-eKEY=S3cret', 'img'],
  ['npx', 'https://user:S3cret@example.com/x.tgz'],
  ['my-mcp', '--pat', 'S3cret'],
  ['my-mcp', '-k', 'S3cret'],
  ['my-mcp', '--config', '{"apiKey":"S3cret"}'],
  ['my-mcp', 'S3cret'],
])('of %s %s … it tells no secret', (...command) => {
  expect(publicWords(command).join(' ')).not.toContain('S3cret');
});
