/** Weight of the newest measurement. */
const news = 0.25
/** Maximum increase of an estimate by one slow batch on a busy machine. */
const believable = 1.5
/** Sizes that go unmeasured are remembered as a little cheaper with each batch, so that they are tried again some day. */
const forgetting = 0.999

/** Learns how long a batch of few tokens takes, by its size; other sizes are read off the line between their neighbours. */
export class BatchCosts {
  #known: { readonly tokens: number; readonly ms: number }[] = []

  note(tokens: number, ms: number): void {
    const before = this.#known.find((cost) => cost.tokens === tokens)?.ms
    const now = before === undefined ? ms : (1 - news) * before + news * Math.min(ms, believable * before)
    const others = this.#known.filter((cost) => cost.tokens !== tokens).map((cost) => ({ ...cost, ms: forgetting * cost.ms }))
    this.#known = [...others, { tokens, ms: now }].sort((a, b) => a.tokens - b.tokens)
  }

  /** Milliseconds of a batch of `tokens`; beyond what was measured it counts as free, so that it is tried. */
  estimate(tokens: number): number {
    const above = this.#known.find((cost) => cost.tokens >= tokens)
    const below = this.#known.findLast((cost) => cost.tokens <= tokens)
    if (above === undefined || below === undefined) return (above ?? below)?.ms ?? 0
    if (above === below) return above.ms
    return below.ms + ((above.ms - below.ms) * (tokens - below.tokens)) / (above.tokens - below.tokens)
  }
}
