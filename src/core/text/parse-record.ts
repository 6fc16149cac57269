import { isRecord } from '../is-record.ts'

/** What a text says that is one JSON object; null where it is none. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
