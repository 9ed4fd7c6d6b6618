// An agent's own words about its request: its reason, and its description of a payment.
import { Quote } from './Quote.tsx';

interface AgentsWordsProps {
  /** Empty without one. */
  reason: string;
  description: string;
}

export const AgentsWords = ({ reason, description }: AgentsWordsProps) => (
  <>
    {reason !== '' && description !== '' && (
      <Quote text={description} from="The agent describes it as" silence="" />
    )}
    <Quote
      text={reason === '' ? description : reason}
      from="The agent says"
      silence="The agent gave no reason."
    />
  </>
);
