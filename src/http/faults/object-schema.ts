import Type, { type TInteger, type TNumber, type TObject, type TObjectOptions, type TOptional, type TProperties } from 'typebox'

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

/** A whole number within bounds. @param fallback The default that the API document shows; absent = none. */
export function integerField(minimum: number, maximum: number, description: string, fallback?: number): TInteger {
  return Type.Integer({ minimum, maximum, ...(fallback !== undefined && { default: fallback }), description })
}

/** A number within bounds, as {@link integerField}. */
export function numberField(minimum: number, maximum: number, description: string, fallback?: number): TNumber {
  return Type.Number({ minimum, maximum, ...(fallback !== undefined && { default: fallback }), description })
}
