/** The host that a URL names; an IPv6 address without its brackets, as sockets and address checks take it. */
export const bareHost = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[|\]$/g, '');
