import { decimalText, wholeText } from '../language/formats.ts'

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
const binaryUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size in decimal units: `29.4 MB`. */
export function byteText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1000 ** power
  return `${amount < 100 && power > 0 ? decimalText(amount, 1, 1) : wholeText(amount)} ${units[power] ?? 'B'}`
}

/** A size from a setting in the units of settings, of which `5gb` are 5 × 1024³ bytes: `5 GiB`. */
export function settingByteText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(binaryUnits.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${decimalText(bytes / 1024 ** power, 1)} ${binaryUnits[power] ?? 'B'}`
}
