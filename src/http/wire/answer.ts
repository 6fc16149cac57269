import type { Static, TSchema } from 'typebox'

/** What a schema describes, as data that nobody changes. */
export type Answer<Schema extends TSchema> = Unchanging<Static<Schema>>

type Unchanging<Value> = Value extends object ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> } : Value
