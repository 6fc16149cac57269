import Type, { type TOptional, type TRecord, type TString } from 'typebox'

/** The caller's own metadata, at most 16 entries, as in OpenAI's interfaces. */
export function metadataField(description: string): TOptional<TRecord<string, TString>> {
  return Type.Optional(
    Type.Record(Type.String({ pattern: '^.{1,64}$' }), Type.String({ maxLength: 512 }), {
      maxProperties: 16,
      additionalProperties: false,
      description,
    }),
  )
}
