// The SDKs as their users have them, with their own retries, on a base URL that is the proxy's. Each line of input is
// one call; each line of output says what came of it, or, for a stream, each piece as it came: the test acknowledges a
// piece by making the next one.
import { createInterface } from 'node:readline';

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const messages = [{ role: 'user', content: 'Say something.' }];
/**
 * Each asks for a whole answer, and for a stream of its pieces. Only the one that is asked for has to be installed.
 * @param base the proxy's URL @param own a `fetch` of ours, with which the SDK pays in place of the proxy
 */
const sdks = {
  async openai(base, apiKey, own) {
    const { default: OpenAI } = await import('openai');
    const { chat } = new OpenAI({ baseURL: `${base}/v1`, apiKey, ...own });
    const ask = (more) => chat.completions.create({ model: 'm', messages, ...more });
    return {
      whole: async () => (await ask()).choices[0].message.content,
      stream: async function* () {
        for await (const { choices } of await ask({ stream: true })) yield choices[0]?.delta.content;
      },
    };
  },
  async anthropic(base, apiKey, own) {
    const { default: Anthropic } = await import('@anthropic-ai/sdk');
    const anthropic = new Anthropic({ baseURL: base, apiKey, ...own });
    const ask = (more) => anthropic.messages.create({ model: 'm', max_tokens: 9, messages, ...more });
    return {
      whole: async () => (await ask()).content[0].text,
      stream: async function* () {
        for await (const event of await ask({ stream: true })) yield event.delta?.text;
      },
    };
  },
  async ai(base, apiKey, own) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const { generateText, streamText } = await import('ai');
    const model = createOpenAI({ baseURL: `${base}/v1`, apiKey, ...own }).chat('m');
    return {
      whole: async () => (await generateText({ model, messages })).text,
      stream: async function* () {
        let failed;
        const { textStream } = streamText({ model, messages, onError: ({ error }) => (failed = error) });
        yield* textStream;
        if (failed !== undefined) throw failed;
      },
    };
  },
  async langchain(base, apiKey, own) {
    const { ChatOpenAI } = await import('@langchain/openai');
    const configuration = { baseURL: `${base}/v1`, ...own };
    // It waits twice as long before each of its tries: two show that it repeats, six take two minutes.
    const chat = new ChatOpenAI({ model: 'm', apiKey, maxRetries: 2, configuration });
    return {
      whole: async () => (await chat.invoke('Say something.')).content,
      stream: async function* () {
        for await (const { content } of await chat.stream('Say something.')) yield content;
      },
    };
  },
};

/** @param paying the settings of our `fetch` that pays */
const fetchOf = async (paying) =>
  paying && {
    fetch: (await import('../../../server/client/package/treasury-fetch.ts')).createTreasuryFetch(paying),
  };

tell({ ready: 'yes' });
for await (const line of createInterface(process.stdin)) {
  const { sdk, how, base, key, paying } = JSON.parse(line);
  const called = await sdks[sdk](base, key, await fetchOf(paying));
  try {
    if (how === 'whole') tell({ text: await called.whole() });
    else {
      for await (const piece of called.stream()) if (piece) tell({ piece });
      tell({ end: true });
    }
  } catch (error) {
    tell({ failed: String(error), status: error.status ?? error.statusCode ?? null });
  }
}
