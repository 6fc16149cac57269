/** A duration as in OpenAI's `x-ratelimit-reset-*` headers, such as `45s` or `6m0s`; whole seconds, rounded up. */
export function formatReset(ms: number): string {
  const all = Math.max(0, Math.ceil(ms / 1000))
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}
