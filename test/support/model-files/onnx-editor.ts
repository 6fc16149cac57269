import {
  castNode,
  declared,
  type ElementType,
  elementTypes,
  graph,
  model,
  node,
  reshapeToVector,
  resized,
  tensor,
  valueInfo,
  vectorShape,
} from './onnx-fields.ts'
import { bytesOf, encodeMessage, type Field, integer, integerOf, type Message, nested, parseMessage, text, textOf } from './protobuf.ts'

/** Changes an ONNX file without knowing more of it than its interface: for trying model variants in tests. */
export class OnnxEditor {
  readonly #rest: Message
  #graph: Message

  constructor(bytes: Buffer) {
    const whole = parseMessage(bytes)
    this.#rest = whole.filter((field) => field.number !== model.graph)
    this.#graph = parseMessage(bytesOf(whole, model.graph) ?? Buffer.alloc(0))
  }

  bytes(): Buffer {
    return encodeMessage([...this.#rest, nested(model.graph, this.#graph)])
  }

  /** Declares an input with another element type, and inside turns it into what the graph expects. */
  retypeInput(name: string, to: ElementType, options: { readonly scalar?: boolean } = {}): this {
    const from = this.#typeOf(graph.input, name)
    const inner = `${name}__inner`
    const cast = `${name}__cast`
    this.#renameUses(name, inner)
    this.#replace(graph.input, name, (value) => declared(value, elementTypes[to], options.scalar === true))
    const toInner = options.scalar === true ? [castNode(name, cast, from), reshapeToVector(cast, inner)] : [castNode(name, inner, from)]
    if (options.scalar === true) this.#graph = [...this.#graph, vectorShape(inner)]
    this.#graph = [...toInner, ...this.#graph]
    return this
  }

  /** Gives an output in another element type. */
  retypeOutput(name: string, to: ElementType): this {
    const inner = `${name}__inner`
    this.#renameUses(name, inner)
    this.#renameMade(name, inner)
    this.#replace(graph.output, name, (value) => declared(value, elementTypes[to], false))
    this.#graph = [...this.#graph, castNode(inner, name, elementTypes[to])]
    return this
  }

  /** Lets an input be given with fewer columns, which are repeated inside: column i of the graph is column `columns[i]` given. */
  repeatColumns(name: string, axis: number, columns: readonly number[]): this {
    const inner = `${name}__inner`
    const indices = Buffer.alloc(columns.length * 8)
    for (const [i, column] of columns.entries()) indices.writeBigInt64LE(BigInt(column), i * 8)
    this.#renameUses(name, inner)
    this.#replace(graph.input, name, (value) => resized(value, axis, Math.max(...columns) + 1))
    this.#graph = [
      nested(graph.node, [
        text(node.input, name),
        text(node.input, `${inner}__columns`),
        text(node.output, inner),
        text(node.type, 'Gather'),
        nested(node.attribute, [text(1, 'axis'), integer(3, axis), integer(20, 2)]),
      ]),
      ...this.#graph,
      nested(graph.initializer, [
        integer(tensor.dims, columns.length),
        integer(tensor.type, elementTypes.int64),
        text(tensor.name, `${inner}__columns`),
        { number: tensor.raw, wire: 2, value: indices },
      ]),
    ]
    return this
  }

  /** Declares a size of an input that was open before. */
  fixSize(name: string, axis: number, size: number): this {
    this.#replace(graph.input, name, (value) => resized(value, axis, size))
    return this
  }

  /** Declares an input that nothing reads. */
  addInput(name: string, dimensions: readonly number[]): this {
    const shape = nested(
      2,
      dimensions.map((size) => nested(1, [integer(1, size)])),
    )
    const tensorType = nested(1, [integer(1, elementTypes.float32), shape])
    this.#graph = [...this.#graph, nested(graph.input, [text(1, name), nested(2, [tensorType])])]
    return this
  }

  /** Replaces an output by the first half of its channels, under another name. */
  takeFirstHalf(name: string, as: string): this {
    const whole = [...this.#graph]
    const split = nested(graph.node, [
      text(node.input, name),
      text(node.output, as),
      text(node.output, `${as}__rest`),
      text(node.type, 'Split'),
      nested(node.attribute, [text(1, 'axis'), integer(3, 1), integer(20, 2)]),
    ])
    this.#graph = [
      ...whole.filter((field) => !isNamed(field, graph.output, name)),
      split,
      nested(graph.output, valueInfo(as, elementTypes.float32)),
    ]
    return this
  }

  removeOutputs(pattern: RegExp): this {
    this.#graph = this.#graph.filter((field) => field.number !== graph.output || !pattern.test(nameOf(field) ?? ''))
    return this
  }

  /** Keeps float weights as half precision, unpacked when they are used. */
  halveWeights(): this {
    const casts: Field[] = []
    this.#graph = this.#graph.map((field) => {
      const weights = field.number === graph.initializer && field.wire === 2 ? parseMessage(field.value) : null
      const name = weights === null ? undefined : textOf(weights, tensor.name)
      if (weights === null || name === undefined || integerOf(weights, tensor.type) !== elementTypes.float32) return field
      const raw = bytesOf(weights, tensor.raw)
      if (raw === undefined || raw.length < 64) return field
      const halves = Float16Array.from(new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length)))
      casts.push(castNode(`${name}__half`, name, elementTypes.float32))
      return nested(graph.initializer, [
        ...weights.filter(({ number }) => number === tensor.dims),
        integer(tensor.type, elementTypes.float16),
        text(tensor.name, `${name}__half`),
        { number: tensor.raw, wire: 2, value: Buffer.from(halves.buffer) },
      ])
    })
    this.#graph = [...casts, ...this.#graph]
    return this
  }

  /** Moves the weights into a file of their own; returns its content. */
  moveWeightsOut(file: string): Buffer {
    const parts: Buffer[] = []
    let offset = 0
    this.#graph = this.#graph.map((field) => {
      const weights = field.number === graph.initializer && field.wire === 2 ? parseMessage(field.value) : null
      const raw = weights === null ? undefined : bytesOf(weights, tensor.raw)
      if (weights === null || raw === undefined || raw.length < 64) return field
      const entry = (key: string, value: string): Field => nested(tensor.external, [text(1, key), text(2, value)])
      const outside = [entry('location', file), entry('offset', String(offset)), entry('length', String(raw.length))]
      parts.push(raw)
      offset += raw.length
      return nested(graph.initializer, [...weights.filter(({ number }) => number !== tensor.raw), ...outside, integer(tensor.location, 1)])
    })
    return Buffer.concat(parts)
  }

  #typeOf(kind: number, name: string): number {
    const field = this.#graph.find((each) => isNamed(each, kind, name))
    if (field?.wire !== 2) throw new Error(`the graph has no ${name}`)
    const type = parseMessage(bytesOf(parseMessage(field.value), 2) ?? Buffer.alloc(0))
    return integerOf(parseMessage(bytesOf(type, 1) ?? Buffer.alloc(0)), 1) ?? 0
  }

  #replace(kind: number, name: string, change: (value: Message) => Message): void {
    this.#graph = this.#graph.map((field) =>
      isNamed(field, kind, name) && field.wire === 2 ? nested(kind, change(parseMessage(field.value))) : field,
    )
  }

  #renameUses(from: string, to: string): void {
    this.#renameInNodes(node.input, from, to)
  }

  #renameMade(from: string, to: string): void {
    this.#renameInNodes(node.output, from, to)
  }

  #renameInNodes(side: number, from: string, to: string): void {
    this.#graph = this.#graph.map((field) => {
      if (field.number !== graph.node || field.wire !== 2) return field
      const parts = parseMessage(field.value)
      return nested(
        graph.node,
        parts.map((part) => (part.number === side && part.wire === 2 && part.value.toString() === from ? text(side, to) : part)),
      )
    })
  }
}

function nameOf(field: Field): string | undefined {
  return field.wire === 2 ? textOf(parseMessage(field.value), 1) : undefined
}

function isNamed(field: Field, kind: number, name: string): boolean {
  return field.number === kind && nameOf(field) === name
}
