// What has to be read again once a rule has changed.
import { outdate } from '../../stores/queries.ts';

export const rulesChanged = (): void => outdate(['bookRules', 'bookTotals', 'previewBookRule']);
