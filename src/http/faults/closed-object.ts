import Type, { type TObject, type TObjectOptions, type TProperties } from 'typebox'

/** The schema of an object with these fields only. */
export function closed<Fields extends TProperties>(fields: Fields, options: TObjectOptions = {}): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false, ...options })
}
