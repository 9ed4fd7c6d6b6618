// The door by which a request came, as the guard found it.
import type { Response } from 'express';
import type { Door } from '../lib/net/public-url.ts';

export const doorOf = ({ locals }: Pick<Response, 'locals'>): Door => locals['door'] as Door;
