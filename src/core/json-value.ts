/** What JSON can say, as data that nobody changes. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object whose fields nobody has checked. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}
