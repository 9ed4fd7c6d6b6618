// Bugs of the MCP proxy, the bridge, the command and stops that were mended, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const messages = 'test/mcp/proxy/messages.test.ts';
const install = 'test/cli/install.test.ts';

export const bugsOfMendedPrograms: readonly (Bug & TestTrial)[] = [
  {
    name: 'mp01: messages of MCP written anew',
    edits: one(
      'server/mcp/proxy/message.ts',
      '? { bytes, text, said } : null',
      '? messageOf(JSON.stringify(said)) : null',
    ),
    file: messages,
    title: 'passes byte for byte, both ways',
  },
  {
    name: 'mp02: two calls that a double makes equal are one purchase',
    edits: one('server/mcp/proxy/repeated.ts', '= exactly(text) as', '= JSON.parse(text) as'),
    file: messages,
    title: 'are two purchases',
  },
  {
    name: 'mp03: a payment written into a call that is otherwise written anew',
    edits: one(
      'server/mcp/proxy/repeated.ts',
      'withMember(withId(request.text, id),',
      'withMember(withId(JSON.stringify(request.said), id),',
    ),
    file: messages,
    title: 'changes nothing of a paid call',
  },
  {
    name: 'mp04: a redirect of an MCP server followed to another origin',
    edits: one('server/mcp/proxy/streamable-http.ts', ' || !isWithin(at, next)', ''),
    file: messages,
    title: 'to no other origin',
  },
  {
    name: 'mp05: a tool with invalid headers listed to the host',
    edits: one(
      'server/mcp/proxy/param-headers.ts',
      'declared === null ? [at] : []',
      'declared === null ? [] : []',
    ),
    file: 'test/mcp/proxy/transparent.test.ts',
    title: 'http-invalid-tool-headers',
  },
  {
    name: 'mp06: a list of types in a tool',
    edits: one('server/mcp/tool.ts', 'Array.isArray(type) ? type[0] : type', 'type'),
    file: 'test/mcp/tools.test.ts',
    title: 'one type for each field',
  },
  {
    name: 'mp07: an empty variable leads into the working folder',
    edits: one(
      'server/lib/files/folders.ts',
      'isAbsolute(given) ? given :',
      "env['XDG_CONFIG_HOME'] !== undefined ? given :",
    ),
    file: install,
    title: 'of zed is the usual one',
  },
  {
    name: 'mp08: a key made for a text that nobody asked for',
    edits: one('server/cli/install/install.ts', '    if (yes) throw', '    if (yes && dryRun) throw'),
    file: install,
    title: 'stays as it is',
  },
  {
    name: 'mp09: of several -d only the last sent',
    edits: one('server/cli/payments/fetch.ts', 'before === undefined ? read : `${before}&${read}`', 'read'),
    file: 'test/cli/more-commands.test.ts',
    title: 'what is repeated is joined',
  },
  {
    name: 'mp10: a line break taken for a part of an API key',
    edits: one('server/client/identity.ts', "env['TREASURY_API_KEY']?.trim()", "env['TREASURY_API_KEY']"),
    file: 'test/mcp/connecting-agents.test.ts',
    title: 'may end in white space',
  },
  {
    name: 'mp11: a stop refused for its body',
    edits: one(
      'server/http/router.ts',
      'const isStop = stops.includes(name);',
      "const isStop = name === 'lock';",
    ),
    file: 'test/http/contract/body.test.ts',
    title: 'stops with a body of',
  },
];
