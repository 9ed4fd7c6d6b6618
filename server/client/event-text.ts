// Server-sent events of the treasury, from text that comes in pieces.
import { agentEvents, type AgentEvent } from '../contract/agent-events.ts';

/** Returns a function for the pieces. Comments, and events that this version does not know, are left out. */
export const createEventReader = (tell: (event: AgentEvent) => void): ((piece: string) => void) => {
  let text = '';
  return (piece) => {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventIn(block);
      if (event !== null) tell(event);
    }
  };
};

const eventIn = (block: string): AgentEvent | null => {
  const [, type = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
  const schema = Object.entries(agentEvents).find(([name]) => name === type)?.[1];
  const parsed = schema?.safeParse(JSON.parse(data));
  return parsed?.success === true ? ({ type, data: parsed.data } as AgentEvent) : null;
};
