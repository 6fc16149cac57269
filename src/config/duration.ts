const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function isUnit(text: string): text is keyof typeof unitMs {
  return Object.hasOwn(unitMs, text)
}

/** Parses `1500ms`, `30s`, `5m`, `2h`, `30d` or a bare `0` into milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const [, digits, unit] = /^(\d+)\s*([a-z]+)$/.exec(text.trim().toLowerCase()) ?? []
  if (digits === undefined || unit === undefined || !isUnit(unit)) return undefined
  const milliseconds = Number(digits) * unitMs[unit]
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined
}

/** Formats a duration for {@link parseDuration}, as short as possible. */
export function printDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0'
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (milliseconds % unitMs[unit] === 0) return `${milliseconds / unitMs[unit]}${unit}`
  }
  return `${milliseconds}ms`
}
