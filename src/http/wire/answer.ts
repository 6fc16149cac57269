import { randomUUID } from 'node:crypto'
import type { Static, TSchema } from 'typebox'

/** The value of a schema, as read-only data for JSON: an optional member may be undefined, which leaves it out. */
export type Answer<Schema extends TSchema> = Unchanging<Static<Schema>>

type Unchanging<Value> = Value extends readonly unknown[]
  ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> }
  : Value extends object
    ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> | Absent<Value, Key> }
    : Value

type Absent<Value, Key extends keyof Value> = Record<never, never> extends Pick<Value, Key> ? undefined : never

/** A random id: a prefix that shows its kind, and 32 hex digits. */
export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '')
}
