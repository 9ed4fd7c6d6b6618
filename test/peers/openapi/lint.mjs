// Reads an OpenAPI document from the file that it is told, and says what Redocly's recommended rules find in it.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const { file } = JSON.parse(process.argv[2]);
const config = await createConfig({
  extends: ['recommended'],
  rules: {
    // A literal path comes before one with a parameter, here as in the specification of OpenAPI.
    'no-ambiguous-paths': 'off',
    // The recommended rules only warn of these.
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-unused-components': 'error',
    'operation-tag-defined': 'error',
    'tag-description': 'error',
    // It is a treasury on this machine.
    'no-server-example.com': 'off',
  },
});
const problems = await lintFromString({ source: readFileSync(file, 'utf8'), absoluteRef: file, config });
const told = problems.map(({ ruleId, severity, message, location }) => ({
  ruleId,
  severity,
  message,
  where: location[0]?.pointer,
}));
process.stdout.write(`${JSON.stringify({ problems: JSON.stringify(told) })}\n`);
