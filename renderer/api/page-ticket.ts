// The ticket that the host put into this page. Another tab can let the page in by it, and the host that wrote it can prove
// itself by it, until it ends.
export const ticket = document.querySelector<HTMLMetaElement>('meta[name=ticket]')?.content ?? '';

/** Pages tell each other this alone. */
export const [pageId = ''] = ticket.split('.');
