import Type, { type TObject, type TObjectOptions, type TOptional, type TProperties } from 'typebox'

/** The schema of an object with these fields only. */
export function closed<Fields extends TProperties>(fields: Fields, options: TObjectOptions = {}): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false, ...options })
}

/** Fields that may be left out. */
export function optional<Fields extends TProperties>(fields: Fields): { [Name in keyof Fields]: TOptional<Fields[Name]> } {
  const entries = Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])
  // Entries do not keep the names in their type.
  return Object.fromEntries(entries) as { [Name in keyof Fields]: TOptional<Fields[Name]> }
}
