import { open, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SafetensorsFault, type SafetensorsHeader, type TensorPlace } from '../../../../core/checkpoint/safetensors-header.ts'
import { hasNoEffect, scaledName } from '../../../../core/checkpoint/stored-weights.ts'
import { readWeightsHeader } from '../../../../core/checkpoint/weights-header.ts'
import { unusableModel } from '../../onnx/model-file.ts'

/** A network's weight as stored in a file. */
export interface StoredWeight extends TensorPlace {
  /** Name of the file inside the table's folder. */
  readonly file: string
  /** Whether rows and columns are the other way round than PyTorch's linear layers keep them. */
  readonly transposed: boolean
  /** Its scale: one factor, or one per row. Absent = none. */
  readonly scale?: TensorPlace
}

/** Attaches scales to weights; tensors without effect are left out. */
export function withScales(weights: ReadonlyMap<string, StoredWeight>): ReadonlyMap<string, StoredWeight> {
  const scaled = new Map([...weights].filter(([name]) => scaledName(name) === null && !hasNoEffect(name)))
  for (const [name, { type, shape, offset, bytes }] of weights) {
    const weight = scaled.get(scaledName(name) ?? '')
    if (weight !== undefined) scaled.set(scaledName(name) ?? '', { ...weight, scale: { type, shape, offset, bytes } })
  }
  return scaled
}

/** Some rows of a weight, with the scales of these rows. */
export function sliceRows(weight: StoredWeight, first: number, count: number): StoredWeight {
  const { scale } = weight
  const perRow = scale?.shape.some((size) => size > 1) === true ? scale : null
  return { ...weight, ...rowsOf(weight, first, count), ...(perRow && { scale: rowsOf(perRow, first, count) }) }
}

function rowsOf({ type, shape: [rows = 1, ...rest], offset, bytes }: TensorPlace, first: number, count: number): TensorPlace {
  const rowBytes = bytes / rows
  return { type, shape: [count, ...rest], offset: offset + first * rowBytes, bytes: count * rowBytes }
}

/** The weights of a network, named as in diffusers; all are in files of one folder. */
export class WeightTable {
  /** Absolute path. */
  readonly folder: string
  /** Name of the network's file in messages. */
  readonly label: string
  readonly #weights: ReadonlyMap<string, StoredWeight>
  readonly #read = new Set<string>()

  constructor(folder: string, label: string, weights: ReadonlyMap<string, StoredWeight>) {
    this.folder = folder
    this.label = label
    this.#weights = weights
  }

  get size(): number {
    return this.#weights.size
  }

  names(): readonly string[] {
    return [...this.#weights.keys()]
  }

  /** Absolute paths of the files that hold the weights. */
  paths(): ReadonlySet<string> {
    return new Set(Array.from(this.#weights.values(), ({ file }) => join(this.folder, file)))
  }

  has(name: string): boolean {
    return this.#weights.has(name)
  }

  find(name: string): StoredWeight | undefined {
    return this.#weights.get(name)
  }

  /** @throws {ServiceError} `inference_failed` naming the tensor that is missing. */
  get(name: string): StoredWeight {
    const found = this.#weights.get(name)
    if (found === undefined) throw unusableModel(this.label, `lacks the tensor "${name}"`)
    this.#read.add(name)
    return found
  }

  /** Call after writing a network. @throws {ServiceError} `inference_failed` naming the first tensor that was not read and so has no effect. */
  refuseUnread(): void {
    const unread = this.names().find((name) => !this.#read.has(name))
    if (unread !== undefined) throw unusableModel(this.label, `holds a tensor "${unread}" that Sepia does not know`)
  }

  /** One size of a tensor. @throws {ServiceError} `inference_failed` when the tensor or the dimension is missing. */
  sizeOf(name: string, axis: number): number {
    const size = this.get(name).shape[axis]
    if (size === undefined) throw unusableModel(this.label, `has a tensor "${name}" with too few dimensions`)
    return size
  }

  /** Number of numbered parts `resnets.0`, `resnets.1` … under a prefix that ends with a dot. */
  count(prefix: string): number {
    const numbers = this.names().flatMap((name) => {
      if (!name.startsWith(prefix)) return []
      const number = /^(\d+)\./u.exec(name.slice(prefix.length))?.[1]
      return number === undefined ? [] : [Number(number)]
    })
    return numbers.length === 0 ? 0 : Math.max(...numbers) + 1
  }

  /** Whether a prefix has any weights. */
  holds(prefix: string): boolean {
    return this.names().some((name) => name.startsWith(prefix))
  }
}

/** A safetensors or GGUF file whose header was read and checked. */
export interface WeightFile extends SafetensorsHeader {
  /** Absolute path, links resolved: the tensor runtime refuses links that leave their folder. */
  readonly path: string
  readonly folder: string
  readonly name: string
}

/** @throws {ServiceError} `inference_failed` naming the file and what is wrong with it. */
export async function readWeightFile(path: string): Promise<WeightFile> {
  const label = basename(path)
  try {
    const real = await realpath(path)
    await using file = await open(real, 'r')
    const { size } = await file.stat()
    const read = async (offset: number, bytes: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
      return buffer.subarray(0, bytesRead)
    }
    return { ...(await readWeightsHeader(read, size)), path: real, folder: dirname(real), name: basename(real) }
  } catch (error) {
    throw unusableModel(label, error instanceof SafetensorsFault ? error.message : 'is missing or cannot be read', error)
  }
}
