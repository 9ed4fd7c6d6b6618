// The same page is served at two addresses: the dashboard, and where a machine is linked.
export const atLinkPage: boolean = location.pathname === '/link';
