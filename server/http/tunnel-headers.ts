/**
 * Headers that Tailscale Serve, Caddy, cloudflared and their like add. They tell where an agent is, who its user is, and
 * with which token the tunnel let it in.
 */
const pattern =
  /^(?:forwarded|via|x-forwarded-.*|x-original-.*|x-real-ip|x-client-ip|true-client-ip|cdn-loop|cf-.*|tailscale-.*)$/;

/** @param name in lower case */
export const isOfATunnel = (name: string): boolean => pattern.test(name);
