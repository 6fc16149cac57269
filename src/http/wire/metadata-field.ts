import Type, { type TOptional, type TRecord, type TString } from 'typebox'

/** Notes of the caller's own, at most 16, as OpenAI's surfaces take them. */
export function metadataField(description: string): TOptional<TRecord<string, TString>> {
  return Type.Optional(
    Type.Record(Type.String({ pattern: '^.{1,64}$' }), Type.String({ maxLength: 512 }), {
      maxProperties: 16,
      additionalProperties: false,
      description,
    }),
  )
}
