import { bytesField, type EncodedFields, integerField, joinBytes, messageField } from '../checkpoint/graph/protobuf-writer.ts'
import { type ProtobufField, protobufNumbers, readProtobufField } from './protobuf-fields.ts'

/** ONNX's numbers for element types. @see onnx/onnx.proto, TensorProto.DataType */
const float32 = 1
const float16 = 10

type Field = ProtobufField & { readonly bytes: Uint8Array; readonly whole: Uint8Array }

/** Gives the fields that stand for a field; the field itself where it stays. */
type Rewrite = (field: Field) => EncodedFields

/** Whether anything was half precision so far. */
interface Finding {
  halves: boolean
}

/**
 * An ONNX file whose half-precision numbers are all single precision: weights, constants, casts, inputs and outputs.
 *
 * @returns null where nothing was half precision, or its weights lie in other files.
 */
export function upcastGraph(model: Uint8Array): Uint8Array | null {
  const found: Finding = { halves: false }
  try {
    const upcast = rewrite(model, (field) => (field.number === 7 ? [messageField(7, [graph(field.bytes, found)])] : [field.whole]))
    return found.halves ? upcast : null
  } catch (error) {
    if (error instanceof OutsideWeights) return null
    throw error
  }
}

class OutsideWeights extends Error {}

function graph(bytes: Uint8Array, found: Finding): Uint8Array {
  return rewrite(bytes, (field) => {
    switch (field.number) {
      case 1:
        return [messageField(1, [node(field.bytes, found)])]
      case 5:
        return [messageField(5, [tensor(field.bytes, found)])]
      case 11:
      case 12:
      case 13:
        return [messageField(field.number, [valueInfo(field.bytes, found)])]
      default:
        return [field.whole]
    }
  })
}

function node(bytes: Uint8Array, found: Finding): Uint8Array {
  const isCast = fields(bytes).some(({ number, bytes: name }) => number === 4 && text(name) === 'Cast')
  return rewrite(bytes, (field) => (field.number === 5 ? [messageField(5, [attribute(field.bytes, isCast, found)])] : [field.whole]))
}

function attribute(bytes: Uint8Array, isCast: boolean, found: Finding): Uint8Array {
  return rewrite(bytes, (field) => {
    if (field.number === 3 && isCast) return [elementType(field, 3, found)]
    if (field.number === 5) return [messageField(5, [tensor(field.bytes, found)])]
    if (field.number === 6) return [messageField(6, [graph(field.bytes, found)])]
    return [field.whole]
  })
}

/** ValueInfoProto.type.tensor_type.elem_type */
function valueInfo(bytes: Uint8Array, found: Finding): Uint8Array {
  return rewrite(bytes, (info) => {
    if (info.number !== 2) return [info.whole]
    const type = rewrite(info.bytes, (of) => {
      if (of.number !== 1) return [of.whole]
      return [messageField(1, [rewrite(of.bytes, (field) => (field.number === 1 ? [elementType(field, 1, found)] : [field.whole]))])]
    })
    return [messageField(2, [type])]
  })
}

function elementType({ value, whole }: Field, number: number, found: Finding): Uint8Array {
  if (value !== float16) return whole
  found.halves = true
  return integerField(number, float32)
}

/** TensorProto: its type is field 2, its numbers are bytes in field 9, or the bits of each as a whole number in field 5, which may repeat. */
function tensor(bytes: Uint8Array, found: Finding): Uint8Array {
  const parts = fields(bytes)
  if (!parts.some(({ number, value }) => number === 2 && value === float16)) return bytes
  found.halves = true
  const bits = parts.filter(({ number }) => number === 5).flatMap(protobufNumbers)
  const rest = rewrite(bytes, (field) => {
    if (field.number === 2) return [integerField(2, float32)]
    if (field.number === 9) return [bytesField(9, single(Uint8Array.from(field.bytes).buffer))]
    if (field.number === 13 || field.number === 14) throw new OutsideWeights()
    return field.number === 5 ? [] : [field.whole]
  })
  return bits.length === 0 ? rest : joinBytes([rest, bytesField(9, single(Uint16Array.from(bits).buffer))])
}

function single(halves: ArrayBufferLike): Uint8Array {
  return new Uint8Array(Float32Array.from(new Float16Array(halves)).buffer)
}

function rewrite(message: Uint8Array, change: Rewrite): Uint8Array {
  return joinBytes(fields(message).flatMap((field) => [...change(field)]))
}

function fields(message: Uint8Array): readonly Field[] {
  const found: Field[] = []
  for (let at = 0; at < message.length; ) {
    const field = readProtobufField(message.subarray(at))
    if (field === null) throw new Error('The ONNX file is damaged.')
    const end = at + field.head + field.length
    found.push({ ...field, bytes: message.subarray(at + field.head, end), whole: message.subarray(at, end) })
    at = end
  }
  return found
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
