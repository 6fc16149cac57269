/** Any JSON value, read-only. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object with unchecked fields. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Whether a value is an object, neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a parsed value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value)
}

/** Parses a JSON object; null if the text is anything else. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
