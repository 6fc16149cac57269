import { decimalText } from '../language/formats.ts'
import { t } from '../language/t.ts'

/** A span of time in its largest unit: `840 ms`, `12.3 s`, `5 min`, `3 h`, `12 days`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) {
    const decimals = ms < 10_000 ? 2 : 1
    return `${decimalText(ms / 1000, decimals, decimals)} s`
  }
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`
  return t.count(Math.round(ms / 86_400_000), { one: '# day', other: '# days' })
}
