// The readings that are out of date once a rule has changed.
import { outdate } from '../../stores/queries.ts';

export const rulesChanged = (): void => outdate(['bookRules', 'bookTotals', 'previewBookRule']);
