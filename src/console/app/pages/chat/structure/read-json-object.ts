export type JsonRecord = { readonly [name: string]: unknown }

/** Parses a JSON object; null = invalid. */
export function readJsonObject(text: string): JsonRecord | null {
  const value = readJson(text)
  return isObject(value) ? value : null
}

/** Parses a JSON text; undefined = invalid. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
