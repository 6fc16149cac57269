import koffi from 'koffi'
import type { Batch, Pointer } from './llama-layout.ts'

/** Bytes of a batch per token: its number, its position, how many sequences it is of, the address of the list of these, the list, whether its logits are wanted. */
const bytesPerToken = 4 + 4 + 4 + 8 + 4 + 1

/** Memory for a batch, which this side fills and native code reads. */
export class NativeBatch implements Disposable {
  readonly #memory: Pointer
  readonly #room: number
  readonly #tokens: Int32Array
  readonly #positions: Int32Array
  readonly #sequences: Int32Array
  readonly #wanted: Int8Array
  readonly #addresses: Omit<Batch, 'n_tokens'>
  #length = 0

  /** @param room Tokens. */
  constructor(room: number) {
    this.#room = room
    this.#memory = koffi.alloc('uint8_t', room * bytesPerToken) as Pointer
    const bytes = koffi.view(this.#memory, room * bytesPerToken)
    const at = (tokens: number): number => tokens * room
    const lists = new BigUint64Array(bytes, at(0), room)
    this.#tokens = new Int32Array(bytes, at(8), room)
    this.#positions = new Int32Array(bytes, at(12), room)
    this.#sequences = new Int32Array(bytes, at(16), room)
    new Int32Array(bytes, at(20), room).fill(1)
    this.#wanted = new Int8Array(bytes, at(24), room)
    const address = (offset: number): Pointer => this.#memory + BigInt(at(offset))
    for (const index of lists.keys()) lists[index] = address(16) + BigInt(4 * index)
    this.#addresses = { token: address(8), embd: null, pos: address(12), n_seq_id: address(20), seq_id: address(0), logits: address(24) }
  }

  get length(): number {
    return this.#length
  }

  clear(): void {
    this.#length = 0
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

  /** As llama.cpp takes it. */
  get value(): Batch {
    return { n_tokens: this.#length, ...this.#addresses }
  }

  [Symbol.dispose](): void {
    koffi.free(this.#memory)
  }
}
