import { isRecord } from '../../core/json-value.ts'

/** A field of an answer whose shape nobody promised. */
export function fieldOf(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return typeof key === 'number' ? inner[key] : undefined
    return isRecord(inner) ? inner[String(key)] : undefined
  }, value)
}

/** The texts in a list, or of one of the fields of its objects. */
export function textsIn(value: unknown, field?: string): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.map((item: unknown) => (field === undefined ? item : fieldOf(item, field))).filter((item) => typeof item === 'string')
}

/** The fields of an answer whose shape nobody promised; of what has none, none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
