// The owner's label of an address, which stands beside it and never in its place.
import { useOwner } from '../../stores/queries.ts';

export const useLabel = (of: string): string | undefined =>
  useOwner('listLabels').data?.labels.find(({ address }) => address === of)?.label;
