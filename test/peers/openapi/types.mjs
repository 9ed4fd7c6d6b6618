// Writes the types of an OpenAPI document to a file.
import { writeFileSync } from 'node:fs';
import { typesOf } from './to-types.mjs';

const { document, types } = JSON.parse(process.argv[2]);
writeFileSync(types, await typesOf(document));
process.stdout.write('{}\n');
