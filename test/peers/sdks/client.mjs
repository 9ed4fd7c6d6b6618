// The SDKs as their users have them, with their own retries, on a base URL that is the proxy's. Each line of input is
// one call; each line of output says what came of it, or, for a stream, each piece as it came: the test acknowledges a
// piece by making the next one.
import { createInterface } from 'node:readline';
import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const messages = [{ role: 'user', content: 'Say something.' }];
/** @param paying in place of the proxy: the settings of a `fetch` of ours, with which the SDK pays */
const clientsOf = async (base, key, paying) => {
  const fetch =
    paying && (await import('../../../server/client/package/treasury-fetch.ts')).createTreasuryFetch(paying);
  const own = fetch && { fetch };
  return {
    openai: new OpenAI({ baseURL: `${base}/v1`, apiKey: key, ...own }),
    anthropic: new Anthropic({ baseURL: base, apiKey: key, ...own }),
    model: createOpenAI({ baseURL: `${base}/v1`, apiKey: key, ...own }).chat('m'),
    // It waits twice as long before each of its tries: two show that it repeats, six take two minutes.
    chat: new ChatOpenAI({
      model: 'm',
      apiKey: key,
      maxRetries: 2,
      configuration: { baseURL: `${base}/v1`, ...own },
    }),
  };
};

/** Each asks for a whole answer, and for a stream of its pieces. */
const sdksOf = ({ openai, anthropic, model, chat }) => ({
  openai: {
    whole: async () =>
      (await openai.chat.completions.create({ model: 'm', messages })).choices[0].message.content,
    stream: async function* () {
      const stream = await openai.chat.completions.create({ model: 'm', messages, stream: true });
      for await (const { choices } of stream) yield choices[0]?.delta.content;
    },
  },
  anthropic: {
    whole: async () =>
      (await anthropic.messages.create({ model: 'm', max_tokens: 9, messages })).content[0].text,
    stream: async function* () {
      const stream = await anthropic.messages.create({ model: 'm', max_tokens: 9, messages, stream: true });
      for await (const event of stream) yield event.delta?.text;
    },
  },
  ai: {
    whole: async () => (await generateText({ model, messages })).text,
    stream: async function* () {
      let failed;
      const { textStream } = streamText({ model, messages, onError: ({ error }) => (failed = error) });
      yield* textStream;
      if (failed !== undefined) throw failed;
    },
  },
  langchain: {
    whole: async () => (await chat.invoke('Say something.')).content,
    stream: async function* () {
      for await (const { content } of await chat.stream('Say something.')) yield content;
    },
  },
});

tell({ ready: 'yes' });
for await (const line of createInterface(process.stdin)) {
  const { sdk, how, base, key, paying } = JSON.parse(line);
  const called = sdksOf(await clientsOf(base, key, paying))[sdk];
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
