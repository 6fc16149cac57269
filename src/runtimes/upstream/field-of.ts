import { isRecord } from '../../core/json-value.ts'

/** A field of a response of unknown shape. */
export function fieldOf(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return typeof key === 'number' ? inner[key] : undefined
    return isRecord(inner) ? inner[String(key)] : undefined
  }, value)
}

/** The strings in a list, or in one field of its objects. */
export function textsIn(value: unknown, field?: string): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.map((item: unknown) => (field === undefined ? item : fieldOf(item, field))).filter((item) => typeof item === 'string')
}

/** The fields of a response of unknown shape; none if it is not an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
