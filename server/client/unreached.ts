// Why a treasury was not reached, in words for the caller: on this machine, or behind its owner's tunnel.
import { isRefusal } from '../errors.ts';

/** Of an address behind a tunnel. */
export const isFar = (url: string): boolean => url.startsWith('https:');

export const notRunningHere = 'The treasury is not running; ask its owner to start it.';

/** As Node and OpenSSL name what is wrong with a certificate. */
const certificates = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;
const unknownNames = ['ENOTFOUND', 'EAI_AGAIN'];
/** Nothing of the request was sent. */
const neverSentCodes = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', ...unknownNames];

/** The code of a failed connection; `fetch` wraps it. */
export const codeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return String(code ?? cause?.code ?? '');
};

/** Whether the treasury cannot have received the request. */
export const wasNeverSent = (error: unknown): boolean => {
  const code = codeOf(error);
  return neverSentCodes.includes(code) || certificates.test(code);
};

/** @param code of the failed connection */
export const unreachedAt = (url: string, code: string): string => {
  if (!isFar(url)) return notRunningHere;
  if (unknownNames.includes(code))
    return `${url} is not known to this machine (${code}). Check the address, and that this machine is in its owner’s network.`;
  if (certificates.test(code))
    return `The certificate of ${url} is not trusted here (${code}), and the API key was not sent. Check the address; NODE_EXTRA_CA_CERTS names the authority of a private network.`;
  return `${url} does not answer. Ask the owner whether the treasury and its tunnel are running.`;
};

/** A treasury answers agents in JSON, in events, and in the bytes of a seller or a picture; a tunnel's own pages are none. */
const kinds = /^(?:application\/(?:json|octet-stream)|text\/event-stream|image\/)/;

/** @param type the Content-Type of an answer */
export const mayBeTreasurys = (type: string): boolean => kinds.test(type);

/** Whether the body of a refusal is the treasury's; on this machine nobody stands between. */
export const isTreasurysRefusal = (url: string, answer: unknown): boolean => !isFar(url) || isRefusal(answer);

/** An answer that the treasury did not give: that of a tunnel with nothing behind it, or with a login of its own. */
export const answeredByAnother = (url: string, status: number): string =>
  `${url} answered ${status}, and the treasury did not: it may not be running, the tunnel may want a login of its own, or it may not pass the Host header on. Ask the owner.`;
