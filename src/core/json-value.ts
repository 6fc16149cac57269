/** What JSON can say, as data that nobody changes. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object whose fields nobody has checked. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Whether a value of unknown shape is an object with names in it, neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a text says that is one JSON object; null where it is none. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
