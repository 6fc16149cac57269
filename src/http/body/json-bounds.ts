import type { JsonBounds } from '../../core/text/json-shape.ts'

/**
 * What any body may hold. The depth leaves room for what text engines read, JSON Schemas of 32 levels, each of them two of JSON, where they
 * lie deepest: in tools. A key is a name. The numbers leave room for five thousand messages, 128 tools with ninety keys each, or 300 000 token ids, and keep
 * what the event loop does with a body of any shape at 20 ms of a processor.
 */
export const jsonBounds: JsonBounds = { depth: 100, containers: 12_000, keys: 12_000, keyBytes: 1024, entries: 350_000 }
