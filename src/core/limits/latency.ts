/** Counts of latencies per bucket, in any order. Histograms are merged by adding counts. */
export type LatencyHistogram = readonly (readonly [bucket: number, count: number])[]

/** Each bucket's upper bound is 2^(1/8) times the one before, which makes reported latencies accurate to 9 %. */
const bucketsPerDoubling = 8

/** The bucket of a latency: 0 up to 1 ms, 1 up to 1.09 ms, 8 up to 2 ms … */
export function latencyBucket(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log2(ms) * bucketsPerDoubling)
}

/** Upper bound of a bucket, in whole milliseconds. */
export function bucketLimitMs(bucket: number): number {
  return Math.round(2 ** (bucket / bucketsPerDoubling))
}

/** 50th, 95th and 99th percentiles in milliseconds, each rounded up to its bucket's bound. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Percentiles by nearest rank; null for an empty histogram. */
export function percentilesOf(histogram: LatencyHistogram): Percentiles | null {
  const sorted = [...histogram].sort(([one], [other]) => one - other)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return null
  const at = (part: number): number => {
    const rank = Math.ceil(total * part)
    let seen = 0
    for (const [bucket, count] of sorted) {
      seen += count
      if (seen >= rank) return bucketLimitMs(bucket)
    }
    return 0
  }
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
