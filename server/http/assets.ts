// The dashboard's built assets. Their names carry a hash of their content, so that a browser keeps them for good. Text is
// sent compressed, since an owner may look from far away through a slow tunnel; it is compressed once, at its first use.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import express, { type RequestHandler } from 'express';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const compress = promisify(gzip);

/** @param folder of the assets; read once, so that no name from a request reaches the file system */
export const createAssets = (folder: string): RequestHandler => {
  const names = new Set(readdirSync(folder));
  const compressed = new Map<string, Promise<Buffer>>();
  const serve = express.static(folder, { index: false, immutable: true, maxAge: '1y' });

  const compressedFile = (name: string): Promise<Buffer> => {
    const known =
      compressed.get(name) ?? readFile(join(folder, name)).then((file) => compress(file, { level: 9 }));
    compressed.set(name, known);
    known.catch(() => compressed.delete(name));
    return known;
  };

  return (request, response, next) => {
    const name = request.path.slice(1);
    const type = types[extname(name)];
    if (type === undefined) return serve(request, response, next);
    response.vary('Accept-Encoding');
    if (request.method !== 'GET' || !names.has(name) || request.acceptsEncodings('gzip') === false)
      return serve(request, response, next);
    compressedFile(name).then((body) => {
      response.setHeader('Content-Type', type);
      response.setHeader('Content-Encoding', 'gzip');
      response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      response.end(body);
    }, next);
  };
};
