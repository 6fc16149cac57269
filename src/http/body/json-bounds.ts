import type { JsonBounds } from './json-shape.ts'

/**
 * What any body may hold. The depth leaves room for what text engines read, JSON Schemas of 32 levels, each of them two of JSON, where they
 * lie deepest: in tools. The numbers leave room for ten thousand messages, 128 tools with a hundred keys each, or 300 000 token ids, and keep
 * what the event loop does with a body of any shape below 50 ms.
 */
export const jsonBounds: JsonBounds = { depth: 100, containers: 20_000, keys: 20_000, entries: 350_000 }
