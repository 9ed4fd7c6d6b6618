// Before the first test: what runs bundled is built, so that the tests open what is shipped.
import { ensureBuilt } from '../../build/build.ts';

export default (): Promise<void> => ensureBuilt('dashboard', 'desktop');
