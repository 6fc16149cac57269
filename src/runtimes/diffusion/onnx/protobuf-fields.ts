/** One field of a protobuf message. */
export interface ProtobufField {
  readonly number: number
  /** Bytes before its contents: tag and length, or tag and value. */
  readonly head: number
  /** Bytes of its contents; 0 for a plain number. */
  readonly length: number
  /** A plain number's value; else 0. */
  readonly value: number
}

/** A tag and a length are at most this many bytes. */
export const maxHeadBytes = 20

/**
 * Reads the field at the start of some bytes.
 *
 * @returns null where the bytes make no sense.
 * @see https://protobuf.dev/programming-guides/encoding
 */
export function readProtobufField(bytes: Uint8Array): ProtobufField | null {
  const tag = readVarint(bytes, 0)
  if (tag === null) return null
  const number = Math.floor(tag.value / 8)
  const next = readVarint(bytes, tag.end)
  switch (tag.value % 8) {
    case 0:
      return next && { number, head: next.end, length: 0, value: next.value }
    case 1:
      return { number, head: tag.end, length: 8, value: 0 }
    case 2:
      return next && { number, head: next.end, length: next.value, value: 0 }
    case 5:
      return { number, head: tag.end, length: 4, value: 0 }
    default:
      return null
  }
}

/** The fields of a message in memory, each with its contents. */
export function* protobufFields(message: Uint8Array): Generator<ProtobufField & { readonly bytes: Uint8Array }, void, undefined> {
  for (let at = 0; at < message.length; ) {
    const field = readProtobufField(message.subarray(at))
    if (field === null) return
    yield { ...field, bytes: message.subarray(at + field.head, at + field.head + field.length) }
    at += field.head + field.length
  }
}

/** The numbers of a repeated field, which may be packed into one. */
export function protobufNumbers({ bytes, length, value }: ProtobufField & { readonly bytes: Uint8Array }): readonly number[] {
  if (length === 0) return [value]
  const values: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const next = readVarint(bytes, at)
    if (next === null) break
    values.push(next.value)
    at = next.end
  }
  return values
}

function readVarint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (const [i, byte] of bytes.subarray(start, start + 10).entries()) {
    value += (byte & 127) * 2 ** (7 * i)
    if (byte < 128) return { value, end: start + i + 1 }
  }
  return null
}
