// The owner’s approvals, single and standing.
import { anyAgent, owner, type Route } from '../route.ts';

export const approvalRoutes = {
  listApprovals: owner('GET /v1/approvals', 'Approvals that wait for the owner, and decided ones'),
  getApproval: anyAgent('GET /v1/approvals/:approvalId', 'One approval, with its result'),
  grantApproval: owner('POST /v1/approvals/:approvalId/grant', 'Allow exactly what was shown'),
  denyApproval: owner('POST /v1/approvals/:approvalId/deny', 'Decline it, at once or after a moment to undo'),
  undoDenial: owner(
    'POST /v1/approvals/:approvalId/undo-deny',
    'Take back a denial that has not taken effect',
  ),
  listGrants: owner('GET /v1/grants', 'Standing approvals'),
  revokeGrant: owner('DELETE /v1/grants/:grantId', 'End a standing approval'),
} as const satisfies Record<string, Route>;
