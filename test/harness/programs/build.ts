// Builds the bundled programs before the first test, so that the tests open what is shipped.
import { ensureBuilt } from '../../../build/build.ts';

export default (): Promise<void> => ensureBuilt('dashboard', 'desktop', 'programs');
