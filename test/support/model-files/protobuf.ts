/** One field of a protobuf message: wire type 0 holds a number, 1, 2 and 5 hold bytes. */
export type Field =
  | { readonly number: number; readonly wire: 0; readonly value: bigint }
  | { readonly number: number; readonly wire: 1 | 2 | 5; readonly value: Buffer }

export type Message = readonly Field[]

/** Splits an encoded message into its fields, without knowing its schema. */
export function parseMessage(bytes: Buffer): Message {
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const key = Number(varint())
    const number = key >> 3
    const wire = key & 7
    if (wire === 0) fields.push({ number, wire, value: varint() })
    else if (wire === 1) fields.push({ number, wire, value: take(8) })
    else if (wire === 5) fields.push({ number, wire, value: take(4) })
    else if (wire === 2) fields.push({ number, wire, value: take(Number(varint())) })
    else throw new Error(`wire type ${wire} is not known`)
  }
  return fields
}

export function encodeMessage(fields: Message): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const key = encodeVarint(BigInt((field.number << 3) | field.wire))
      if (field.wire === 0) return [key, encodeVarint(field.value)]
      return field.wire === 2 ? [key, encodeVarint(BigInt(field.value.length)), field.value] : [key, field.value]
    }),
  )
}

function encodeVarint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}

export function text(number: number, value: string): Field {
  return { number, wire: 2, value: Buffer.from(value, 'utf8') }
}

export function integer(number: number, value: number): Field {
  return { number, wire: 0, value: BigInt(value) }
}

export function nested(number: number, fields: Message): Field {
  return { number, wire: 2, value: encodeMessage(fields) }
}

/** The first length-delimited field of that number. */
export function bytesOf(message: Message, number: number): Buffer | undefined {
  const found = message.find((field) => field.number === number)
  return found?.wire === 2 ? found.value : undefined
}

export function textOf(message: Message, number: number): string | undefined {
  return bytesOf(message, number)?.toString('utf8')
}

export function integerOf(message: Message, number: number): number | undefined {
  const found = message.find((field) => field.number === number)
  return found?.wire === 0 ? Number(found.value) : undefined
}
