import { BatchCosts } from '../batch/batch-costs.ts'
import { BatchPace } from '../batch/batch-pace.ts'
import { commonPrefix } from '../batch/choose-sequence.ts'
import type { ComputeThreads } from '../binding/compute-threads.ts'
import type { DecodingContext, TokenSampler } from '../binding/native-context.ts'
import type { ChooseLength, GuessedText, Guesser } from './guesser.ts'

const mostTokens = 8
/** Most tokens it reads at once while it catches up with a text; nothing is guessed meanwhile. */
const maxRead = 256

/** A loaded draft model. */
export interface DraftParts {
  readonly context: DecodingContext
  readonly threads: ComputeThreads
  /** Tokens a sequence can hold. */
  readonly contextLength: number
  /** Greedy. */
  readonly sampler: TokenSampler
  /** Vocabulary size of the target model; no other tokens may be guessed. */
  readonly vocabularySize: number
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** Releases all of it. */
  readonly resources: AsyncDisposable
}

interface Held {
  readonly account: string
  readonly tokens: number[]
}

/**
 * Guesses what a smaller model would write.
 *
 * @see Leviathan et al. 2023, arXiv:2211.17192
 */
export class DraftModel implements Guesser {
  readonly #parts: DraftParts
  readonly #held = new Map<number, Held>()
  readonly #costs = new BatchCosts()
  readonly #pace = new BatchPace(maxRead)

  constructor(parts: DraftParts) {
    this.#parts = parts
  }

  async guess(texts: readonly GuessedText[], choose: ChooseLength): Promise<readonly Uint32Array[]> {
    const longest = Math.max(...texts.map(({ tokens }) => tokens.length))
    const count = choose(Math.min(mostTokens, this.#parts.contextLength - longest), this.#costs.estimate(texts.length))
    if (count < 1) return []
    const ordered = texts.toSorted((a, b) => a.id - b.id)
    const unread = ordered.map((text) => ({ id: text.id, tokens: text.tokens.slice(this.#keep(text)) }))
    const room = this.#pace.limit({ decoding: true })
    if (countTokens(unread) > room) {
      await this.#catchUp(unread, room)
      return []
    }
    const guesses = new Map(await this.#write(unread, count))
    return texts.map(({ id }) => guesses.get(id) ?? new Uint32Array())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#parts.resources[Symbol.asyncDispose]())
  }

  /** Trims a sequence to the prefix shared with a text; the text's last token is always read again, for its logits. */
  #keep({ id, account, tokens }: GuessedText): number {
    const held = this.#held.get(id)
    const keep = held?.account === account ? Math.min(commonPrefix(held.tokens, tokens), tokens.length - 1) : 0
    if (held !== undefined && keep > 0 && this.#parts.context.removeTokenCellsFromSequence(id, keep, -1)) held.tokens.length = keep
    else {
      this.#parts.context.disposeSequence(id)
      this.#held.set(id, { account, tokens: [] })
      return 0
    }
    return keep
  }

  async #catchUp(unread: readonly Unread[], most: number): Promise<void> {
    let room = most
    const pieces = unread.map(({ id, tokens }) => {
      const piece = tokens.slice(0, Math.min(room, tokens.length - 1))
      room -= piece.length
      return { id, tokens: piece }
    })
    this.#load(
      pieces.filter(({ tokens }) => tokens.length > 0),
      { draw: false },
    )
    const startedAt = this.#parts.now()
    await this.#parts.threads.decode(this.#parts.context, countTokens(pieces))
    this.#pace.note(countTokens(pieces), this.#parts.now() - startedAt)
  }

  async #write(unread: readonly Unread[], count: number): Promise<readonly (readonly [id: number, guess: Uint32Array])[]> {
    const written: number[][] = unread.map(() => [])
    let next = unread
    for (let round = 0; round < count; round++) {
      const startedAt = this.#parts.now()
      const indices = this.#load(next, { draw: true })
      await this.#parts.threads.decode(this.#parts.context, countTokens(next))
      for (const [place, index] of indices.entries())
        written[place]?.push(await this.#parts.context.sampleToken(index, this.#parts.sampler))
      if (round > 0) this.#costs.note(unread.length, this.#parts.now() - startedAt)
      next = unread.map(({ id }, place) => ({ id, tokens: written[place]?.slice(-1) ?? [] }))
    }
    return unread.map(({ id }, place) => [id, Uint32Array.from(this.#known(written[place] ?? []))])
  }

  #load(unread: readonly Unread[], { draw }: { readonly draw: boolean }): readonly number[] {
    const { context } = this.#parts
    context.initBatch()
    return unread.flatMap(({ id, tokens }) => {
      const held = this.#held.get(id)?.tokens ?? []
      const wanted = draw ? Uint32Array.of(tokens.length - 1) : new Uint32Array()
      const indices = context.addToBatch(id, held.length, Uint32Array.from(tokens), wanted)
      held.push(...tokens)
      return [...indices]
    })
  }

  /** The tokens before the first one that the larger model does not know. */
  #known(tokens: readonly number[]): readonly number[] {
    const foreign = tokens.findIndex((token) => token < 0 || token >= this.#parts.vocabularySize)
    return foreign < 0 ? tokens : tokens.slice(0, foreign)
  }
}

interface Unread {
  readonly id: number
  readonly tokens: readonly number[]
}

function countTokens(unread: readonly Unread[]): number {
  return unread.reduce((sum, { tokens }) => sum + tokens.length, 0)
}
