// Each wire's fields, parts and tools that pass, as data. They are those of openai 6.49 and @anthropic-ai/sdk 1.14 whose
// price a bound can hold. Everything else is refused by name, since a field that is not known may change the price.
import type { RequestWire } from '../../ports.ts';
import type { Json } from './json.ts';

export type Wire = RequestWire;
/** Below the address of a supplier. */
export const paths: Readonly<Record<Wire, string>> = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'openai-embeddings': '/embeddings',
  'anthropic-messages': '/messages',
};
export const wires = Object.keys(paths) as Wire[];
export const isAnthropic = (wire: Wire): boolean => wire === 'anthropic-messages';

/** A message, an item or a part of one. */
export interface PartRule {
  keys: readonly string[];
  /** The key whose list or text is read as parts again. */
  inside?: string;
  /** The key that holds a picture. */
  image?: string;
  /** The key that the supplier prints as JSON for the model. */
  printed?: string;
  /** The key without which the part stands for content that the supplier keeps. */
  needs?: string;
}

export interface WireFacts {
  /** The field with the messages. */
  list: string;
  /** Fields that the model reads: they count as input, and a measured prefix depends on them. */
  told: readonly string[];
  /** Fields that change neither the input nor the price. */
  silent: readonly string[];
  /** The only values with which these fields pass. */
  only: Readonly<Record<string, readonly Json[]>>;
  /** Sent where the request does not name it. */
  tier: { service_tier?: string };
  /** Fields that name content which the supplier keeps. */
  elsewhere: readonly string[];
  /** The fields that limit the output, the one that counts first. */
  output: readonly string[];
  /** The tokens that each type of tool adds to its own text. */
  tools: Readonly<Record<string, number>>;
  /** A message has the type `message`, as has an item without one. */
  items: Readonly<Record<string, PartRule>>;
  parts: Readonly<Record<string, PartRule>>;
}

const files = ['file', 'file_id', 'file_url', 'file_data'];
/** Keys that pass in each part and tool, move from turn to turn, and say nothing to the model. */
export const cacheKeys: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint']);

/** Tokens of a message, and of a tool, beside their own text. */
export const perMessage = 16;
export const perTool = 64;
/** A tool that the supplier describes to the model by itself. */
export const perKnownTool = 1_024;
/** Names with spaces between. */
const named = ([text = '']: readonly string[]): readonly string[] => text.split(/\s+/);
const known = (text: readonly string[]): Record<string, number> =>
  Object.fromEntries(named(text).map((type) => [type, perKnownTool]));
const openAiSilent = named`model stream stream_options service_tier metadata store user safety_identifier
  prompt_cache_key prompt_cache_options prompt_cache_retention temperature top_p top_logprobs`;
const caller = ['id', 'call_id', 'status', 'caller'];

const chat: WireFacts = {
  list: 'messages',
  told: named`tools tool_choice functions function_call parallel_tool_calls response_format reasoning_effort
    verbosity`,
  silent: [
    ...openAiSilent,
    ...named`messages max_completion_tokens max_tokens n seed stop modalities frequency_penalty
      presence_penalty logit_bias logprobs`,
  ],
  only: { service_tier: ['default'], modalities: [['text']] },
  tier: { service_tier: 'default' },
  elsewhere: files,
  output: ['max_completion_tokens', 'max_tokens'],
  tools: { function: perTool, custom: perTool },
  items: {
    message: {
      keys: named`role content name tool_calls tool_call_id function_call refusal annotations reasoning
        reasoning_content reasoning_details`,
      inside: 'content',
    },
  },
  parts: {
    text: { keys: ['text'] },
    refusal: { keys: ['refusal'] },
    image_url: { keys: ['image_url'], image: 'image_url' },
  },
};

const responses: WireFacts = {
  list: 'input',
  told: named`instructions tools tool_choice parallel_tool_calls text reasoning previous_response_id`,
  silent: [...openAiSilent, ...named`input max_output_tokens max_tool_calls include truncation background`],
  only: { service_tier: ['default'], background: [false], 'reasoning.mode': ['standard'] },
  tier: { service_tier: 'default' },
  elsewhere: [...files, 'prompt', 'conversation'],
  output: ['max_output_tokens'],
  tools: { function: perTool, custom: perTool, namespace: perTool, ...known`local_shell apply_patch` },
  items: {
    message: { keys: ['role', 'content', 'id', 'status', 'phase'], inside: 'content' },
    function_call: { keys: [...caller, 'arguments', 'name', 'namespace'] },
    function_call_output: { keys: [...caller, 'output'], inside: 'output' },
    custom_tool_call: { keys: [...caller, 'input', 'name', 'namespace'] },
    custom_tool_call_output: { keys: [...caller, 'output'], inside: 'output' },
    reasoning: {
      keys: named`id summary content encrypted_content status`,
      needs: 'encrypted_content',
    },
    compaction: { keys: ['id', 'encrypted_content'], needs: 'encrypted_content' },
    local_shell_call: { keys: [...caller, 'action'], printed: 'action' },
    local_shell_call_output: { keys: [...caller, 'output'] },
    apply_patch_call: { keys: [...caller, 'operation'], printed: 'operation' },
    apply_patch_call_output: { keys: [...caller, 'output'] },
  },
  parts: {
    input_text: { keys: ['text'] },
    output_text: { keys: ['text', 'annotations', 'logprobs'] },
    refusal: { keys: ['refusal'] },
    input_image: { keys: ['image_url', 'detail'], image: 'image_url' },
  },
};

const embeddings: WireFacts = {
  ...chat,
  list: 'input',
  told: [],
  silent: named`model input dimensions encoding_format user`,
  only: {},
  tier: {},
  output: [],
};

const messages: WireFacts = {
  list: 'messages',
  told: named`system tools tool_choice thinking output_config output_format context_management`,
  silent: named`model messages max_tokens stream service_tier metadata diagnostics speed stop_sequences
    temperature top_k top_p cache_control`,
  only: { service_tier: ['standard_only'], speed: ['standard'] },
  tier: { service_tier: 'standard_only' },
  elsewhere: files,
  output: ['max_tokens'],
  tools: {
    custom: perTool,
    ...known`bash_20241022 bash_20250124 memory_20250818 computer_20241022 computer_20250124
      computer_20251124 text_editor_20241022 text_editor_20250124 text_editor_20250429 text_editor_20250728`,
  },
  items: { message: { keys: ['role', 'content'], inside: 'content' } },
  parts: {
    text: { keys: ['text', 'citations'] },
    image: { keys: ['source', 'transformations'], image: 'source' },
    thinking: { keys: ['thinking', 'signature'] },
    redacted_thinking: { keys: ['data'] },
    tool_use: { keys: ['id', 'name', 'input', 'caller', 'toolset_name'], printed: 'input' },
    tool_result: { keys: ['tool_use_id', 'content', 'is_error', 'toolset_name'], inside: 'content' },
    tool_reference: { keys: ['tool_name'] },
    search_result: { keys: ['source', 'title', 'content', 'citations'], inside: 'content' },
  },
};

export const wireFacts: Readonly<Record<Wire, WireFacts>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'openai-embeddings': embeddings,
  'anthropic-messages': messages,
};

/** Edits of a context that leave tokens out. Others run a model whose tokens the usage does not count. */
export const plainEdits: readonly Json[] = ['clear_tool_uses_20250919', 'clear_thinking_20251015'];
