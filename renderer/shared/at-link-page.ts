// The same page is served at two URLs: the dashboard, and the link page.
export const atLinkPage: boolean = location.pathname === '/link';
