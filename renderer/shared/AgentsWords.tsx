// What an agent says of what it asks for: its reason, and how it describes a payment.
import { Quote } from './Quote.tsx';

interface AgentsWordsProps {
  /** Empty where it says nothing. */
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
