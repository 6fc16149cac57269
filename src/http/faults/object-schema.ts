import Type, {
  type Static,
  type TBoolean,
  type TEnum,
  type TInteger,
  type TNull,
  type TNumber,
  type TObject,
  type TObjectOptions,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnion,
} from 'typebox'

/** A checked body that has these fields among others. */
export type BodyOf<Fields extends TProperties> = Static<TObject<Fields>>

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

/** What {@link defaultsOf} finds in a schema. */
interface Stated<Value> {
  readonly default: Value
}

/** A whole number within bounds. @param fallback The value of a field that is left out; absent = none. */
export function integerField(minimum: number, maximum: number, description: string): TInteger
export function integerField(minimum: number, maximum: number, description: string, fallback: number): TInteger & Stated<number>
export function integerField(minimum: number, maximum: number, description: string, fallback?: number): TInteger {
  return Type.Integer({ minimum, maximum, ...(fallback !== undefined && { default: fallback }), description })
}

/** A number within bounds, as {@link integerField}. */
export function numberField(minimum: number, maximum: number, description: string): TNumber
export function numberField(minimum: number, maximum: number, description: string, fallback: number): TNumber & Stated<number>
export function numberField(minimum: number, maximum: number, description: string, fallback?: number): TNumber {
  return Type.Number({ minimum, maximum, ...(fallback !== undefined && { default: fallback }), description })
}

/** True or false; `fallback` if it is left out. */
export function flagField(description: string, fallback: boolean): TBoolean & Stated<boolean> {
  return Object.assign(Type.Boolean({ default: fallback, description }), { default: fallback })
}

/** One of some values; `fallback` if it is left out. */
export function choiceField<const Values extends string[]>(
  values: readonly [...Values],
  description: string,
  fallback: Values[number],
): TEnum<Values> & Stated<Values[number]> {
  return Object.assign(Type.Enum(values, { default: fallback, description }), { default: fallback })
}

type Defaults<Fields> = {
  readonly [Name in keyof Fields as Fields[Name] extends Stated<unknown> ? Name : never]: Fields[Name] extends Stated<infer Value>
    ? Value
    : never
}

/** The defaults that fields state. */
export function defaultsOf<Fields extends TProperties>(fields: Fields): Defaults<Fields> {
  const stated = Object.entries(fields).flatMap(([name, schema]) => ('default' in schema ? [[name, schema.default] as const] : []))
  return Object.fromEntries(stated) as Defaults<Fields>
}

/** A value, or null where there is none. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()])
}
