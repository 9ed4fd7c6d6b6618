// Whether a program has called as this agent, and when it last did.
import { Moment } from '../../shared/ui/Moment.tsx';

export const Seen = ({ lastSeenAt }: { lastSeenAt: string | null }) =>
  lastSeenAt === null ? (
    <>Not connected yet</>
  ) : (
    <>
      Connected, last seen <Moment iso={lastSeenAt} />
    </>
  );
