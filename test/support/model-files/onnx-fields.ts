import { bytesOf, type Field, integer, type Message, nested, parseMessage, text, textOf } from './protobuf.ts'

/** Field numbers of ONNX's messages that edits touch. @see onnx/onnx.proto */
export const model = { graph: 7 }
export const graph = { node: 1, initializer: 5, input: 11, output: 12 }
export const node = { input: 1, output: 2, type: 4, attribute: 5 }
export const tensor = { dims: 1, type: 2, floats: 4, name: 8, raw: 9, external: 13, location: 14 }

/** ONNX's element types. */
export const elementTypes = { float32: 1, int32: 6, int64: 7, float16: 10, float64: 11 } as const
export type ElementType = keyof typeof elementTypes

export function castNode(from: string, to: string, type: number): Field {
  const attribute = nested(node.attribute, [text(1, 'to'), integer(3, type), integer(20, 2)])
  return nested(graph.node, [text(node.input, from), text(node.output, to), text(node.type, 'Cast'), attribute])
}

export function reshapeToVector(from: string, to: string): Field {
  return nested(graph.node, [text(node.input, from), text(node.input, `${to}__shape`), text(node.output, to), text(node.type, 'Reshape')])
}

export function vectorShape(name: string): Field {
  const one = Buffer.alloc(8)
  one.writeBigInt64LE(1n)
  return nested(graph.initializer, [
    integer(tensor.dims, 1),
    integer(tensor.type, elementTypes.int64),
    text(tensor.name, `${name}__shape`),
    { number: tensor.raw, wire: 2, value: one },
  ])
}

/** The description of an input or output with another element type, and without dimensions for a scalar. */
export function declared(value: Message, type: number, scalar: boolean): Message {
  const name = textOf(value, 1) ?? ''
  const tensorType = parseMessage(bytesOf(parseMessage(bytesOf(value, 2) ?? Buffer.alloc(0)), 1) ?? Buffer.alloc(0))
  const shape = scalar ? nested(2, []) : tensorType.find(({ number }) => number === 2)
  return [text(1, name), nested(2, [nested(1, [integer(1, type), ...(shape === undefined ? [] : [shape])])])]
}

/** The description of an input with another size along one axis. */
export function resized(value: Message, axis: number, size: number): Message {
  const name = textOf(value, 1) ?? ''
  const tensorType = parseMessage(bytesOf(parseMessage(bytesOf(value, 2) ?? Buffer.alloc(0)), 1) ?? Buffer.alloc(0))
  const dimensions = parseMessage(bytesOf(tensorType, 2) ?? Buffer.alloc(0))
  const shape = nested(
    2,
    dimensions.map((dimension, i) => (i === axis ? nested(1, [integer(1, size)]) : dimension)),
  )
  return [text(1, name), nested(2, [nested(1, [...tensorType.filter(({ number }) => number !== 2), shape])])]
}

export function valueInfo(name: string, type: number): Message {
  return [text(1, name), nested(2, [nested(1, [integer(1, type)])])]
}
