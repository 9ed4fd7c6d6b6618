// The types of an OpenAPI document, as text.
import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

/** @param file of the document */
export const typesOf = async (file) => astToString(await openapiTS(JSON.parse(readFileSync(file, 'utf8'))));
