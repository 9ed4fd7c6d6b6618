// Makes the types of a client from an OpenAPI document, and compiles a program against them: says what tsc says.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { typesOf } from './to-types.mjs';

const { document, program } = JSON.parse(process.argv[2]);
const types = await typesOf(document);
writeFileSync(join(dirname(program), 'schema.d.ts'), types);

const options = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  outDir: dirname(program),
};
const compiled = ts.createProgram([program], options);
const { diagnostics } = compiled.emit();
const said = [...ts.getPreEmitDiagnostics(compiled), ...diagnostics].map(({ messageText, file, start }) => {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
  return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
});
process.stdout.write(
  `${JSON.stringify({ diagnostics: JSON.stringify(said), lines: String(types.split('\n').length) })}\n`,
);
