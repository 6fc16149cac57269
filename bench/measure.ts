import { cpus, totalmem } from 'node:os'

/** Times in milliseconds, summed up. */
export interface Spread {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** The result of one run: the rate per second, and the duration of each request. */
export interface Rate {
  readonly perSecond: number
  readonly latency: Spread
}

/** Does `total` pieces of work with `inFlight` of them at a time. */
export async function measureRate(total: number, inFlight: number, work: (index: number) => Promise<unknown>): Promise<Rate> {
  const latencies = new Float64Array(total)
  let next = 0
  const lane = async () => {
    for (let index = next++; index < total; index = next++) {
      const startedAt = performance.now()
      await work(index)
      latencies[index] = performance.now() - startedAt
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: inFlight }, lane))
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond: total / seconds, latency: summarize(latencies) }
}

export function summarize(latencies: Float64Array): Spread {
  const sorted = latencies.toSorted()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

export function describeMachine(): string {
  const [first] = cpus()
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
}

export function describeRate({ perSecond, latency }: Rate): string {
  const ms = (value: number) => `${value.toFixed(2)} ms`
  return `${Math.round(perSecond)}/s, p50 ${ms(latency.p50)}, p99 ${ms(latency.p99)}, max ${ms(latency.max)}`
}
