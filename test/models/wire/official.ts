// Requests, events and answers as the official SDKs type them: openai 6.49 and @anthropic-ai/sdk 1.14. The comment in front of
// an object is its type there.

const tool = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

export const chatRequest = /* OpenAI.ChatCompletionCreateParamsStreaming */ {
  model: 'gpt-5.2',
  stream: true,
  messages: [
    { role: 'developer', content: 'Be short.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://pictures.example/cat.png', detail: 'high' } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      audio: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Lisbon"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'The weather', parameters: tool } }],
  tool_choice: 'auto',
  max_completion_tokens: 4_000,
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: tool } },
  temperature: 0.5,
};

export const responsesRequest = /* OpenAI.Responses.ResponseCreateParamsStreaming */ {
  model: 'gpt-5.2-codex',
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  instructions: 'You are a coding agent.',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'List the files.' }] },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA'.repeat(50) },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'shell', arguments: '{"command":["ls"]}' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [
        { type: 'input_text', text: 'a.ts' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      ],
    },
    { type: 'message', role: 'user', content: 'Thanks.' },
  ],
  tools: [
    { type: 'function', name: 'shell', parameters: tool, strict: false },
    {
      type: 'custom',
      name: 'apply_patch',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  text: { verbosity: 'low' },
  max_output_tokens: 8_000,
  prompt_cache_key: 'conversation-1',
};

export const embeddingsRequest = /* OpenAI.EmbeddingCreateParams */ {
  model: 'text-embedding-3-small',
  input: ['one', 'two'],
  encoding_format: 'base64',
};

export const messagesRequest = /* Anthropic.Beta.MessageCreateParamsStreaming */ {
  model: 'claude-opus-4-6',
  max_tokens: 32_000,
  stream: true,
  system: [{ type: 'text', text: 'You are a coding agent.', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: 'Read the file.' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I read it.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: '/a.ts' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [
            { type: 'text', text: 'const a = 1;' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'tool_reference', tool_name: 'Read' },
          ],
        },
        {
          type: 'text',
          text: 'Go on.',
          cache_control: { type: 'ephemeral', ttl: '5m' },
        },
      ],
    },
  ],
  tools: [
    {
      name: 'Read',
      description: 'Reads a file',
      input_schema: { type: 'object', properties: {} },
      defer_loading: true,
    },
    { type: 'bash_20250124', name: 'bash' },
  ],
  thinking: { type: 'enabled', budget_tokens: 16_000 },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  metadata: { user_id: 'user-1' },
};

export const chatChunk = /* OpenAI.ChatCompletionChunk */ {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-5.2-2025-12-11',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Olá' }, finish_reason: null }],
  usage: null,
};

export const chatUsageChunk = /* OpenAI.ChatCompletionChunk */ {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-5.2-2025-12-11',
  choices: [],
  usage: {
    prompt_tokens: 1_000,
    completion_tokens: 200,
    total_tokens: 1_200,
    prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 150 },
  },
};

const response = /* Pick<OpenAI.Responses.Response, 'id' | 'model'> */ {
  id: 'resp_1',
  model: 'gpt-5.2-codex',
};

export const responsesUsage = /* OpenAI.Responses.ResponseUsage */ {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
  output_tokens: 200,
  output_tokens_details: { reasoning_tokens: 150 },
  total_tokens: 1_200,
};

export const responsesEvents = [
  { type: 'response.created', sequence_number: 0, response },
  { type: 'response.output_text.delta', sequence_number: 1, delta: 'Olá', item_id: 'msg_1', output_index: 0 },
  { type: 'response.completed', sequence_number: 2, response: { ...response, usage: responsesUsage } },
];

export const messageStart = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-opus-4-6',
    usage: {
      input_tokens: 300,
      cache_read_input_tokens: 600,
      cache_creation_input_tokens: 100,
      output_tokens: 1,
    },
  },
};

export const messageDelta = /* Anthropic.RawMessageDeltaEvent */ {
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null, container: null, stop_details: null },
  usage: {
    input_tokens: null,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: null,
    output_tokens: 200,
    output_tokens_details: { thinking_tokens: 150 },
    server_tool_use: null,
  },
};

export const messageEvents = [
  messageStart,
  /* Anthropic.RawContentBlockStartEvent */ {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'text', text: '' },
  },
  { type: 'ping' },
  /* Anthropic.RawContentBlockDeltaEvent */ {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Olá' },
  },
  { type: 'content_block_stop', index: 0 },
  messageDelta,
  { type: 'message_stop' },
];

/** The usage that every wire above reports, each in its own words. */
export const reported = {
  input: 1_000,
  cachedInput: 600,
  cacheWrite: 100,
  output: 200,
  reasoning: 150,
  costMicros: null,
  complete: true,
};
