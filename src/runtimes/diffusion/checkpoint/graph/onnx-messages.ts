import { bytesField, type EncodedFields, floatField, integerField, joinBytes, messageField, textField } from './protobuf-writer.ts'

/** ONNX's numbers for element types. @see onnx/onnx.proto, TensorProto.DataType */
export const onnxTypes = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
  bfloat16: 16,
  float8e4m3: 17,
  float8e5m2: 19,
} as const

export type OnnxType = keyof typeof onnxTypes

/** A size of an input or output: known, or named. */
export type OnnxSize = number | string

export type OnnxAttribute = number | string | readonly number[] | { readonly float: number }

export interface OnnxNode {
  readonly type: string
  readonly domain?: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes: Readonly<Record<string, OnnxAttribute>>
}

/** Weights: their bytes in the graph, or their place in a file of the session's folder. */
export interface OnnxInitializer {
  readonly name: string
  readonly type: OnnxType
  readonly shape: readonly number[]
  readonly data: Uint8Array | { readonly file: string; readonly offset: number; readonly bytes: number }
}

export interface OnnxValue {
  readonly name: string
  readonly type: OnnxType
  readonly shape: readonly OnnxSize[]
}

export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[]
  readonly initializers: readonly OnnxInitializer[]
  readonly inputs: readonly OnnxValue[]
  readonly outputs: readonly OnnxValue[]
}

/** Opset 23 with the operators of the runtime's own domain; IR version 10. */
export function encodeOnnxModel({ nodes, initializers, inputs, outputs }: OnnxGraph): Uint8Array {
  return joinBytes([
    integerField(1, 10),
    textField(2, 'sepia'),
    messageField(7, [
      ...nodes.map((node) => messageField(1, encodeNode(node))),
      textField(2, 'checkpoint'),
      ...initializers.map((initializer) => messageField(5, encodeInitializer(initializer))),
      ...inputs.map((value) => messageField(11, encodeValue(value))),
      ...outputs.map((value) => messageField(12, encodeValue(value))),
    ]),
    messageField(8, [textField(1, ''), integerField(2, 23)]),
    messageField(8, [textField(1, 'com.microsoft'), integerField(2, 1)]),
  ])
}

function encodeNode({ type, domain, inputs, outputs, attributes }: OnnxNode): EncodedFields {
  return [
    ...inputs.map((name) => textField(1, name)),
    ...outputs.map((name) => textField(2, name)),
    textField(3, outputs[0] ?? type),
    textField(4, type),
    ...Object.entries(attributes).map(([name, value]) => messageField(5, encodeAttribute(name, value))),
    ...(domain === undefined ? [] : [textField(7, domain)]),
  ]
}

function encodeAttribute(name: string, value: OnnxAttribute): EncodedFields {
  if (typeof value === 'number') return [textField(1, name), integerField(3, value), integerField(20, 2)]
  if (typeof value === 'string') return [textField(1, name), textField(4, value), integerField(20, 3)]
  if ('float' in value) return [textField(1, name), floatField(2, value.float), integerField(20, 1)]
  return [textField(1, name), ...value.map((item) => integerField(8, item)), integerField(20, 7)]
}

function encodeInitializer({ name, type, shape, data }: OnnxInitializer): EncodedFields {
  const head = [...shape.map((size) => integerField(1, size)), integerField(2, onnxTypes[type]), textField(8, name)]
  if (data instanceof Uint8Array) return [...head, bytesField(9, data)]
  const entry = (key: string, value: string) => messageField(13, [textField(1, key), textField(2, value)])
  const { file, offset, bytes } = data
  return [...head, entry('location', file), entry('offset', String(offset)), entry('length', String(bytes)), integerField(14, 1)]
}

function encodeValue({ name, type, shape }: OnnxValue): EncodedFields {
  const dimensions = shape.map((size) => messageField(1, [typeof size === 'number' ? integerField(1, size) : textField(2, size)]))
  return [textField(1, name), messageField(2, [messageField(1, [integerField(1, onnxTypes[type]), messageField(2, dimensions)])])]
}
