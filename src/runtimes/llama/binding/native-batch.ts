import koffi from 'koffi'
import type { Batch, Pointer } from './llama-layout.ts'

/**
 * Bytes of a batch per token: its number, its position in four lists, its number of sequences, the address of their list, the list, and
 * whether its logits are wanted.
 */
const bytesPerToken = 4 + 16 + 4 + 8 + 4 + 1

/** Vectors in place of tokens. */
export interface Rows {
  /** [count, width] */
  readonly vectors: Float32Array
  /** [count], or four such lists in succession. */
  readonly positions: Int32Array
  readonly count: number
}

/** Memory of a batch, filled by JavaScript and read by native code. */
export class NativeBatch implements Disposable {
  readonly #memory: Pointer
  readonly #room: number
  readonly #tokens: Int32Array
  readonly #positions: Int32Array
  readonly #sequences: Int32Array
  readonly #wanted: Int8Array
  readonly #addresses: Omit<Batch, 'n_tokens'>
  #length = 0
  /** Memory of the vectors in a batch of vectors instead of tokens. */
  #vectors: { readonly memory: Pointer; readonly numbers: Float32Array } | null = null
  #hasVectors = false

  /** @param room Tokens. */
  constructor(room: number) {
    this.#room = room
    this.#memory = koffi.alloc('uint8_t', room * bytesPerToken) as Pointer
    const bytes = koffi.view(this.#memory, room * bytesPerToken)
    const at = (tokens: number): number => tokens * room
    const lists = new BigUint64Array(bytes, at(0), room)
    this.#tokens = new Int32Array(bytes, at(8), room)
    this.#positions = new Int32Array(bytes, at(12), 4 * room)
    this.#sequences = new Int32Array(bytes, at(28), room)
    new Int32Array(bytes, at(32), room).fill(1)
    this.#wanted = new Int8Array(bytes, at(36), room)
    const address = (offset: number): Pointer => this.#memory + BigInt(at(offset))
    for (const index of lists.keys()) lists[index] = address(28) + BigInt(4 * index)
    this.#addresses = { token: address(8), embd: null, pos: address(12), n_seq_id: address(32), seq_id: address(0), logits: address(36) }
  }

  get length(): number {
    return this.#length
  }

  clear(): void {
    this.#length = 0
    this.#hasVectors = false
  }

  /** @returns The token's place. @throws {RangeError} when there is no room. */
  add(token: number, position: number, sequence: number, wanted: boolean): number {
    const place = this.#length
    if (place >= this.#room) throw new RangeError(`A batch has room for ${this.#room} tokens.`)
    this.#tokens[place] = token
    this.#positions[place] = position
    this.#sequences[place] = sequence
    this.#wanted[place] = wanted ? 1 : 0
    this.#length++
    return place
  }

  /** Fills the batch with vectors of one sequence; `wanted` requests the logits of the last. @throws {RangeError} when there is no room. */
  fillWithRows(sequence: number, { vectors, positions, count }: Rows, wanted: boolean): number {
    if (count > this.#room) throw new RangeError(`A batch has room for ${this.#room} rows.`)
    const width = vectors.length / count
    this.#vectors ??= allocateVectors(this.#room * width)
    this.#vectors.numbers.set(vectors)
    this.#positions.set(positions)
    this.#sequences.fill(sequence, 0, count)
    this.#wanted.fill(0, 0, count)
    this.#wanted[count - 1] = wanted ? 1 : 0
    this.#length = count
    this.#hasVectors = true
    return count - 1
  }

  /** The struct for llama.cpp. */
  get value(): Batch {
    const vectors = this.#hasVectors ? this.#vectors : null
    const input = vectors === null ? {} : { token: null, embd: vectors.memory }
    return { n_tokens: this.#length, ...this.#addresses, ...input }
  }

  [Symbol.dispose](): void {
    koffi.free(this.#memory)
    if (this.#vectors !== null) koffi.free(this.#vectors.memory)
  }
}

function allocateVectors(numbers: number): { readonly memory: Pointer; readonly numbers: Float32Array } {
  const memory = koffi.alloc('float', numbers) as Pointer
  return { memory, numbers: new Float32Array(koffi.view(memory, 4 * numbers)) }
}
