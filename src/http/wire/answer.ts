import { randomUUID } from 'node:crypto'
import type { Static, TSchema } from 'typebox'

/** The value of a schema, as read-only data. */
export type Answer<Schema extends TSchema> = Unchanging<Static<Schema>>

type Unchanging<Value> = Value extends object ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> } : Value

/** A random id: a prefix that shows its kind, and 32 hex digits. */
export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '')
}
