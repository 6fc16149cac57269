/** A file of an archive. */
export interface ZippedFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

/**
 * Files as a ZIP archive without compression, because pictures do not get smaller.
 *
 * @see PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16
 */
export function zip(files: readonly ZippedFile[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const { name, bytes } of files) {
    const text = new TextEncoder().encode(name)
    const common = [20, 0x0800, 0, 0, 0x21, ...split(crc32(bytes)), ...split(bytes.length), ...split(bytes.length), text.length, 0]
    const head = join(words([...split(0x04034b50), ...common]), text)
    parts.push(head, bytes)
    directory.push(join(words([...split(0x02014b50), 20, ...common, 0, 0, 0, 0, 0, ...split(offset)]), text))
    offset += head.length + bytes.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = words([...split(0x06054b50), 0, 0, files.length, files.length, ...split(size), ...split(offset), 0])
  return new Blob([...parts, ...directory, end], { type: 'application/zip' })
}

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 255] ?? 0)
  return (sum ^ 0xffffffff) >>> 0
}

/** The two 16-bit halves of a 32-bit number, the lower first. */
function split(value: number): readonly [number, number] {
  return [value & 0xffff, value >>> 16]
}

/** 16-bit numbers in little-endian order. */
function words(values: readonly number[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(values.flatMap((value) => [value & 255, value >>> 8]))
}

function join(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
