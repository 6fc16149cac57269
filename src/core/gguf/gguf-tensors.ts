import { type GgmlType, ggmlTypes } from './ggml-types.ts'

export interface GgufTensor {
  readonly name: string
  /** Fastest dimension first. */
  readonly shape: readonly number[]
  /** ggml's number of the type, see `ggmlTypes`. */
  readonly type: number
  /** Bytes from where the weights begin. */
  readonly offset: number
}

/** Bytes of a tensor; 0 of a type that is not known. */
export function weightBytes({ shape, type }: GgufTensor): number {
  const stored = ggmlTypes.get(type)
  return stored === undefined ? 0 : Math.ceil(shape.reduce((product, each) => product * each, 1) / stored.block) * stored.bytes
}

/**
 * What is wrong with a table of tensors, as the end of a sentence about the file; null = nothing. Each tensor begins where the one before it ends, but for
 * what fills up to the alignment, as ggml itself demands: a tensor of another type than its bytes are would be read as noise.
 */
export function findTensorFault(tensors: readonly GgufTensor[], alignment: number): string | null {
  const names = new Set<string>()
  for (const { name, shape, type } of tensors) {
    if (names.has(name)) return `holds the tensor ${quoted(name)} twice`
    names.add(name)
    const { block }: Pick<GgmlType, 'block'> = ggmlTypes.get(type) ?? { block: 1 }
    if ((shape[0] ?? block) % block !== 0) return `has a tensor ${quoted(name)} whose rows are not a multiple of its block size`
  }
  return findMisplaced(tensors, alignment)
}

function findMisplaced(tensors: readonly GgufTensor[], alignment: number): string | null {
  let last: GgufTensor | null = null
  for (const tensor of tensors.toSorted((one, other) => one.offset - other.offset)) {
    const bytes = last === null ? 0 : weightBytes(last)
    const room = tensor.offset - (last?.offset ?? 0)
    const type = last === null ? undefined : ggmlTypes.get(last.type)
    const isKnown = last === null || type !== undefined
    if (isKnown && room !== Math.ceil(bytes / alignment) * alignment)
      return last === null
        ? `holds ${room} bytes before its first tensor ${quoted(tensor.name)}`
        : `holds ${room} bytes for the tensor ${quoted(last.name)}, whose type ${type?.name} takes ${bytes}`
    last = tensor
  }
  return null
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}
