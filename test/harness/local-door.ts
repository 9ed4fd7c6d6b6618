// The door of a call within this process.
import type { Door } from '../../server/lib/net/public-url.ts';

export const localDoor: Door = { name: 'local', url: 'http://127.0.0.1:4402' };
