import type { DecodingContext } from '../binding/native-context.ts'
import { keepForTile } from './attention-tile.ts'
import { chooseSequence, type SequenceState } from './choose-sequence.ts'
import type { Generation } from './generation.ts'
import { keepWhole, type PromptPicture, positionAt } from './prompt-pictures.ts'

/** State of a sequence; the table's writable side of {@link SequenceState}. */
interface Slot {
  readonly id: number
  account: string | null
  tokens: number[]
  busy: boolean
  lastUsed: number
}

/** A prompt's hold on a sequence; `id` changes when the table moves it. */
export interface SequenceHold {
  id: number
  /** Prompt tokens that were in the cache already and are not read again. */
  cachedTokens: number
  /** Pictures in the prompt. */
  readonly pictures: readonly PromptPicture[]
}

/** Knows what every sequence of a context holds and keeps the context's cache in step with it. */
export class SequenceTable {
  readonly #context: DecodingContext
  readonly #slots: readonly Slot[]
  #uses = 0
  #scattered = 0

  constructor(context: DecodingContext, sequences: number) {
    this.#context = context
    this.#slots = Array.from({ length: sequences }, (_, id) => ({ id, account: null, tokens: [], busy: false, lastUsed: 0 }))
  }

  get states(): readonly SequenceState[] {
    return this.#slots
  }

  /** Tokens that running texts hold. */
  get tokensInUse(): number {
    return this.#slots.reduce((sum, { busy, tokens }) => sum + (busy ? tokens.length : 0), 0)
  }

  /** Takes a sequence for a prompt and trims it to what can be reused; null when all are busy. What other adapters computed is another account's. */
  async claim(
    { account: name, adapters: { key }, pictures }: Pick<Generation, 'account' | 'adapters' | 'pictures'>,
    prompt: ArrayLike<number>,
  ): Promise<SequenceHold | null> {
    const account = key === '' ? name : `${name}\n${key}`
    const choice = chooseSequence(this.#slots, { account, prompt })
    if (choice === null) return null
    const slot = this.#slot(choice.target)
    slot.busy = true
    slot.lastUsed = ++this.#uses
    if (choice.source !== null) {
      await this.#context.copySequence(slot.id, choice.source)
      slot.tokens = [...this.#slot(choice.source).tokens]
    }
    slot.account = account
    const keep = keepWhole(pictures, keepForTile(choice.keep, prompt.length))
    return { id: slot.id, cachedTokens: this.#trim(slot, keep, pictures), pictures }
  }

  /** Reduces the kept tokens of a hold before its first evaluation; nothing changes if the context cannot remove a part. */
  keepLess(hold: SequenceHold, tokens: number): void {
    if (tokens >= hold.cachedTokens || !this.#context.removeTokenCellsFromSequence(hold.id, positionAt(hold.pictures, tokens), -1)) return
    this.#slot(hold.id).tokens.length = tokens
    hold.cachedTokens = tokens
  }

  /** Notes tokens that the context has just evaluated on a sequence. */
  append(hold: SequenceHold, tokens: Iterable<number>): void {
    this.#slot(hold.id).tokens.push(...tokens)
  }

  /** Tokens of the sequence, in order. */
  tokens(hold: SequenceHold): readonly number[] {
    return this.#slot(hold.id).tokens
  }

  /** Number of tokens. */
  length(hold: SequenceHold): number {
    return this.#slot(hold.id).tokens.length
  }

  /** The position of what comes next, as the model counts. */
  position({ id, pictures }: SequenceHold): number {
    return positionAt(pictures, this.#slot(id).tokens.length)
  }

  /** Removes evaluated tokens from the context that are not in this table. */
  dropUnnoted(hold: SequenceHold): void {
    if (!this.#context.removeTokenCellsFromSequence(hold.id, this.position(hold), -1))
      throw new Error('This model cannot take back tokens it has read.')
  }

  /** Removes tokens from the context that a stopped batch may have read, or the whole text if the context cannot remove a part. */
  takeBack(hold: SequenceHold): void {
    const slot = this.#slot(hold.id)
    slot.tokens.length = keepWhole(hold.pictures, slot.tokens.length)
    if (this.#context.removeTokenCellsFromSequence(slot.id, this.position(hold), -1)) return
    this.#context.disposeSequence(slot.id)
    slot.tokens = []
  }

  /** Releases a sequence; its tokens stay cached for its account. */
  release(hold: SequenceHold): void {
    this.#slot(hold.id).busy = false
  }

  /** Forgets everything, after the context failed. */
  clear(): void {
    for (const slot of this.#slots) {
      this.#context.disposeSequence(slot.id)
      Object.assign(slot, { account: null, tokens: [], busy: false })
    }
  }

  /**
   * Moves a running sequence next to the others once they have been apart for `patience` batches.
   *
   * @param patience Batches after which a copy has paid for itself.
   */
  async gather(holds: readonly SequenceHold[], patience: number): Promise<void> {
    const move = planMove(holds.map((hold) => hold.id).sort((a, b) => a - b))
    if (move === null) this.#scattered = 0
    if (move === null || this.#scattered++ < patience) return
    const hold = holds.find((candidate) => candidate.id === move.from)
    if (hold === undefined) return
    const from = this.#slot(move.from)
    const to = this.#slot(move.to)
    await this.#context.copySequence(to.id, from.id)
    Object.assign(to, { account: from.account, tokens: [...from.tokens], busy: true, lastUsed: ++this.#uses })
    from.busy = false
    from.lastUsed = 0 // a twin of a running sequence is the first to go
    hold.id = to.id
  }

  #trim(slot: Slot, keep: number, pictures: readonly PromptPicture[]): number {
    const isKept = () => slot.tokens.length === keep || this.#context.removeTokenCellsFromSequence(slot.id, positionAt(pictures, keep), -1)
    if (keep > 0 && isKept()) {
      slot.tokens.length = keep
      return keep
    }
    if (slot.tokens.length > 0) this.#context.disposeSequence(slot.id)
    slot.tokens = []
    return 0
  }

  #slot(id: number): Slot {
    const slot = this.#slots[id]
    if (slot === undefined) throw new RangeError(`The context has no sequence ${id}.`)
    return slot
  }
}

/**
 * The move that brings running sequences closer together: llama.cpp evaluates only runs of neighbouring ids in one go.
 *
 * @param running Ids of running sequences, ascending.
 * @returns The id to move and the free id to move it to; null when they are neighbours already.
 */
export function planMove(running: readonly number[]): { readonly from: number; readonly to: number } | null {
  const first = running[0]
  const last = running.at(-1)
  if (first === undefined || last === undefined || last - first === running.length - 1) return null
  const taken = new Set(running)
  let to = first
  while (taken.has(to)) to++
  return { from: last, to }
}
