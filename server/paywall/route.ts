// What a seller declares of a route, once: 402s, openapi.json, llms.txt and the gate all follow from it.

/** A schema of zod 4, or a JSON Schema (draft 2020-12) as an object. */
export type Schema = object;

/** One method at one path. */
export interface Route {
  /** Such as `GET`. */
  method: string;
  /** A path whose segments may be parameters: `/summaries/:id`. */
  path: string;
  /** One sentence for buyers. */
  description?: string;
  /** The query of GET, HEAD and DELETE; the JSON body of any other method. */
  input?: Schema;
  /** The JSON that is answered. */
  output?: Schema;
}
