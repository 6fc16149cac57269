const unitBytes = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 } as const

function isUnit(text: string): text is keyof typeof unitBytes {
  return Object.hasOwn(unitBytes, text)
}

/** Parses `512kb`, `32mb`, `1.5gb` or a plain number into bytes (1 kb = 1024); undefined for anything else. */
export function parseByteSize(text: string): number | undefined {
  const [, digits, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*([a-z]+)?$/.exec(text.trim().toLowerCase()) ?? []
  if (digits === undefined || !isUnit(unit)) return undefined
  const bytes = Math.round(Number(digits) * unitBytes[unit])
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** Formats bytes in the largest unit that keeps at least one digit before the point: `32mb`, `1.5gb`. */
export function printByteSize(bytes: number): string {
  for (const unit of ['tb', 'gb', 'mb', 'kb'] as const) {
    if (bytes >= unitBytes[unit]) return `${Number((bytes / unitBytes[unit]).toFixed(1))}${unit}`
  }
  return `${bytes}b`
}
