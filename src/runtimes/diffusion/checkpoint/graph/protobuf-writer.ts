/** Encoded fields of a protobuf message. */
export type EncodedFields = readonly Uint8Array[]

const text = new TextEncoder()

/** A whole number; negative ones take ten bytes, as protobuf has it. */
export function integerField(number: number, value: number | bigint): Uint8Array {
  return Uint8Array.from([...varint(BigInt(number << 3)), ...varint(BigInt.asUintN(64, BigInt(value)))])
}

/** A number in single precision. */
export function floatField(number: number, value: number): Uint8Array {
  const bytes = new Uint8Array(5)
  bytes[0] = (number << 3) | 5
  new DataView(bytes.buffer).setFloat32(1, value, true)
  return bytes
}

/** A text in UTF-8. */
export function textField(number: number, value: string): Uint8Array {
  return bytesField(number, text.encode(value))
}

/** Bytes with their length before them. */
export function bytesField(number: number, value: Uint8Array): Uint8Array {
  return joinBytes([Uint8Array.from([...varint(BigInt((number << 3) | 2)), ...varint(BigInt(value.length))]), value])
}

/** A message inside a message. */
export function messageField(number: number, fields: EncodedFields): Uint8Array {
  return bytesField(number, joinBytes(fields))
}

/** Parts one after the other. */
export function joinBytes(parts: EncodedFields): Uint8Array {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function varint(value: bigint): readonly number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}
