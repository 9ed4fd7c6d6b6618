// The owner's words for a payment that was canceled while it waited for an approval, or since it needs one now.

const needed: Readonly<Record<string, string>> = {
  approve_above: 'The policy changed meanwhile, and this payment now needs your approval.',
  new_payee: 'This payee now needs your approval.',
  payee_changed: 'The catalog changed meanwhile: the service names other payees now.',
  watch: 'The watch now holds this agent’s payments for you.',
  open_account: 'The payee has no USDC account now, and opening one needs your approval.',
};

/** @param details of the refusal: those of a payment that waited name its approval, and an account as the reason for that */
export const cancelledWhy = (
  agentName: string,
  { because, approvalId }: Readonly<Record<string, unknown>>,
): string => {
  const isOfWaiting = approvalId !== undefined && because === 'open_account';
  const why = isOfWaiting ? undefined : needed[String(because)];
  return why === undefined
    ? `A stop or a change of the rules declined it before you decided. ${agentName} can ask again.`
    : `${why} Nothing was spent. ${agentName} can ask again.`;
};
