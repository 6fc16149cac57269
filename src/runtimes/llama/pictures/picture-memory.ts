import { createHash } from 'node:crypto'
import { ServiceError } from '../../../core/error.ts'
import type { PictureBlock, VisionTower } from '../../../core/ports/vision-tower.ts'
import type { PicturePart } from '../../../core/text-generation.ts'
import { Turns } from '../../../core/turns.ts'
import { type Abortable, type OnDemand, orAborted } from '../../../core/waiting.ts'
import { firstRowNumber, type PromptPicture } from '../batch/prompt-pictures.ts'

/** Maximum bytes of cached vectors for all accounts together. */
const defaultBytes = 256 * 1024 * 1024
const numberBytes = 4

/** A block of a picture with the numbers that stand for its rows in a prompt. */
export interface NumberedBlock extends PictureBlock {
  readonly firstNumber: number
  /** Vectors of its rows, computed on first use. */
  look(signal: AbortSignal): Promise<Float32Array>
  readonly seesAround: boolean
}

/** Blocks by their first numbers. */
export type ShownBlocks = ReadonlyMap<number, NumberedBlock>

/** Looks at what a prompt shows, one block after the other. */
export async function lookAtBlocks(prompt: Uint32Array, shown: ShownBlocks, signal: AbortSignal): Promise<readonly PromptPicture[]> {
  const pictures: PromptPicture[] = []
  for (let start = shown.size === 0 ? prompt.length : 0; start < prompt.length; start++) {
    const block = shown.get(prompt[start] ?? 0)
    if (block === undefined) continue
    const { rows, columns, seesAround } = block
    pictures.push({ start, rows, columns, seesAround, vectors: await block.look(signal) })
    signal.throwIfAborted()
    start += rows - 1
  }
  return pictures
}

interface ShownPicture {
  readonly parts: readonly (string | NumberedBlock)[]
  readonly bytes: number
}

/**
 * A cache of recent pictures, since a conversation sends all its pictures with every turn. Equal pictures get equal row numbers, so that
 * the sequence cache matches. Separate per account, like `StretchMemory`.
 */
export class PictureMemory {
  readonly #tower: Pick<OnDemand<VisionTower>, 'get'>
  readonly #mostBytes: number
  /** Least recently used first. */
  readonly #kept = new Map<string, ShownPicture>()
  #bytes = 0
  #nextNumber = firstRowNumber
  /** One picture at a time: each takes every thread. */
  readonly #turns = new Turns(1)

  constructor(tower: Pick<OnDemand<VisionTower>, 'get'>, mostBytes = defaultBytes) {
    this.#tower = tower
    this.#mostBytes = mostBytes
  }

  /**
   * The layout of a picture, with its vectors to be computed later. @throws {ServiceError} `validation_error` if it is not a picture or too
   * large.
   */
  async show(
    { base64 }: PicturePart,
    { account, signal }: { readonly account: string; readonly signal: AbortSignal },
  ): Promise<ShownPicture['parts']> {
    const picture = Buffer.from(base64, 'base64')
    const key = `${account}\n${createHash('sha256').update(picture).digest('base64')}`
    const known = this.#kept.get(key) ?? (await this.#layOut(picture, signal))
    this.#keep(key, known)
    return known.parts
  }

  async #layOut(picture: Uint8Array, signal: AbortSignal): Promise<ShownPicture> {
    const tower = await orAborted(this.#tower.get(), signal)
    return this.#number(tower, picture, await ofPicture(() => tower.layOut(picture, { signal })))
  }

  #number(tower: VisionTower, picture: Uint8Array, layout: readonly (string | PictureBlock)[]): ShownPicture {
    let vectors: Promise<readonly Float32Array[]> | null = null
    const look = async (signal: AbortSignal): Promise<readonly Float32Array[]> => {
      const others = vectors
      const own = others ?? this.#lookInTurn(tower, picture, { signal })
      vectors = own
      try {
        return await own
      } catch (error) {
        if (vectors === own) vectors = null
        signal.throwIfAborted()
        if (others === null) throw error
        return look(signal) // the other request that looked at it was ended
      }
    }
    let blocks = 0
    let rows = 0
    const parts = layout.map((part) => {
      if (typeof part === 'string') return part
      const index = blocks++
      rows += part.rows
      const own = async (signal: AbortSignal): Promise<Float32Array> => (await look(signal))[index] ?? missing()
      return { ...part, firstNumber: this.#take(part.rows), look: own, seesAround: tower.seesAround }
    })
    return { parts, bytes: rows * tower.width * numberBytes + picture.length }
  }

  /** Numbers begin again where they end: by then no sequence holds the first ones any more. */
  #take(rows: number): number {
    if (this.#nextNumber + rows > 2 * firstRowNumber) this.#nextNumber = firstRowNumber
    this.#nextNumber += rows
    return this.#nextNumber - rows
  }

  async #lookInTurn(tower: VisionTower, picture: Uint8Array, options: Abortable): Promise<readonly Float32Array[]> {
    using _turn = await this.#turns.take('', options)
    return await ofPicture(() => tower.look(picture, options))
  }

  #keep(key: string, picture: ShownPicture): void {
    if (this.#kept.delete(key)) this.#bytes -= picture.bytes
    this.#kept.set(key, picture)
    this.#bytes += picture.bytes
    for (const [oldest, its] of this.#kept) {
      if (this.#bytes <= this.#mostBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= its.bytes
    }
  }
}

/** Faults of a picture as those of the conversation that it came with. */
async function ofPicture<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'validation_error') throw error
    throw new ServiceError(error.code, error.message, { param: 'messages', cause: error })
  }
}

function missing(): never {
  throw new Error('The tower made fewer blocks than it laid out.')
}
