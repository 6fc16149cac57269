import { BatchCosts } from '../batch/batch-costs.ts'
import type { Guessing } from '../batch/guessing.ts'
import type { RunningGeneration } from '../batch/running-generation.ts'
import type { SequenceTable } from '../batch/sequence-table.ts'
import { GuessRecord, GuessTotals } from './guess-record.ts'
import type { Guesser } from './guesser.ts'

/** Larger batches gain nothing from guesses. */
const mostTokens = 64
/** Texts change from copying to inventing within sentences; how well a guesser does at all changes over many answers. */
const [textFading, wholeFading] = [0.95, 0.995]

/**
 * Speculative decoding: guesses the next tokens of every running text, so that one batch checks them all. The output does not change, since
 * every token is still drawn from the model's own logits, and only correct guesses are kept.
 */
export class Speculation implements Guessing {
  readonly totals = new GuessTotals()
  readonly #guesser: Guesser
  readonly #costs = new BatchCosts()
  readonly #record = new GuessRecord({ rate: 0.7 }, wholeFading, this.totals)

  constructor(guesser: Guesser) {
    this.#guesser = guesser
  }

  openRecord(): GuessRecord {
    return new GuessRecord(this.#record, textFading, this.#record)
  }

  /** Sets every running text's guess, of one length for all, where that measures faster than to guess nothing. */
  async guess(running: readonly RunningGeneration[], table: SequenceTable): Promise<void> {
    const guesses = running.every((each) => each.next.length === 1 && each.guesses !== null) ? await this.#ask(running, table) : []
    for (const [index, each] of running.entries()) each.guess = guesses[index] ?? new Uint32Array()
  }

  note(tokens: number, ms: number): void {
    this.#costs.note(tokens, ms)
  }

  async #ask(running: readonly RunningGeneration[], table: SequenceTable): Promise<readonly Uint32Array[]> {
    const sequences = running.length
    const room = Math.min(...running.map(({ generation, drawn }) => generation.limit - drawn - 1), Math.floor(mostTokens / sequences) - 1)
    if (room < 1) return []
    const rate = Math.min(...running.map((each) => each.guesses?.rate ?? 0))
    const texts = running.map(({ hold, generation, next }) => ({
      id: hold.id,
      account: generation.account,
      tokens: [...table.tokens(hold), ...next],
    }))
    return this.#guesser.guess(texts, (reach, msPerToken) =>
      planGuess({ sequences, reach: Math.min(reach, room), rate, msPerToken }, (tokens) => this.#costs.estimate(tokens)),
    )
  }
}

/** Guessing must promise at least this much more speed: drawing several tokens in a row takes time too. */
const worthwhile = 1.05

interface DraftEstimate {
  readonly sequences: number
  /** Tokens that can be guessed for each of them. */
  readonly reach: number
  /** The lowest of their probabilities that a guessed token is right when those before it were. */
  readonly rate: number
  /** Milliseconds to guess one more token for all of them. */
  readonly msPerToken: number
}

/**
 * The number of tokens to guess for every running sequence that yields the most tokens per millisecond; 0 = guessing does not pay.
 *
 * A batch of `n` sequences with `k` guesses each takes `batchMs(n (k + 1))`, the guesses `k msPerToken`, and both give 1 + r + … + r^k tokens to each.
 *
 * @see Leviathan et al. 2023, arXiv:2211.17192, section 3.3
 */
export function planGuess({ sequences, reach, rate, msPerToken }: DraftEstimate, batchMs: (tokens: number) => number): number {
  let best = 0
  let bestSpeed = worthwhile / batchMs(sequences)
  let expected = 1
  let chance = 1
  for (let count = 1; count <= reach; count++) {
    chance *= rate
    expected += chance
    const speed = expected / (batchMs(sequences * (count + 1)) + count * msPerToken)
    if (speed > bestSpeed) [best, bestSpeed] = [count, speed]
  }
  return best
}
