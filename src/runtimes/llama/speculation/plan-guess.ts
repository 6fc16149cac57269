/** Guessing must promise at least this much more speed: drawing several tokens in a row takes time too. */
const worthwhile = 1.05

/** What running texts allow to be guessed. */
export interface GuessOutlook {
  readonly sequences: number
  /** Tokens that can be guessed for each of them. */
  readonly reach: number
  /** The lowest of their probabilities that a guessed token is right when those before it were. */
  readonly rate: number
  /** What guessing one more token for all of them takes. */
  readonly msPerToken: number
}

/**
 * How many tokens to guess for every running sequence: so many that the tokens gained per millisecond are most, or none.
 *
 * A batch of `n` sequences with `k` guesses each takes `batchMs(n (k + 1))`, the guesses `k msPerToken`, and both give 1 + r + … + r^k tokens to each.
 *
 * @see Leviathan et al. 2023, arXiv:2211.17192, section 3.3
 */
export function planGuess({ sequences, reach, rate, msPerToken }: GuessOutlook, batchMs: (tokens: number) => number): number {
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
