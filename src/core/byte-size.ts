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

/** Formats bytes as the value of a setting, in the largest unit that keeps at least one digit before the point: `32mb`, `1.5gb`. */
export function printByteSize(bytes: number): string {
  for (const unit of ['tb', 'gb', 'mb', 'kb'] as const) {
    if (bytes >= unitBytes[unit]) return `${Number((bytes / unitBytes[unit]).toFixed(1))}${unit}`
  }
  return `${bytes}b`
}

const decimalUnits = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const

/** Formats bytes for people, in decimal units: `1.9 GB`, `442 MB`. */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of decimalUnits) {
    const amount = bytes / size
    if (amount >= 0.9995) return `${Number(amount.toFixed(amount < 100 ? 1 : 0))} ${unit}`
  }
  return `${bytes} B`
}
