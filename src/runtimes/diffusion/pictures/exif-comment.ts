/** An APP1 segment holds at most 65 533 bytes; this much text fits beside the rest. */
const maxCharacters = 32_000

/**
 * An EXIF block (a big-endian TIFF) whose only content is the user comment, in UTF-16.
 *
 * @see Exif 2.32, sections 4.6.3 and 4.6.5
 */
export function exifComment(text: string): Buffer {
  const short = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
  const comment = Buffer.concat([Buffer.from('UNICODE\0', 'latin1'), Buffer.from(short, 'utf16le').swap16()])
  const block = Buffer.alloc(44)
  block.write('MM\0*', 0, 'latin1')
  block.writeUInt32BE(8, 4)
  // The first directory only points to the EXIF directory, at 26.
  block.writeUInt16BE(1, 8)
  writeEntry(block, 10, { tag: 0x8769, type: 4, count: 1, value: 26 })
  block.writeUInt16BE(1, 26)
  writeEntry(block, 28, { tag: 0x9286, type: 7, count: comment.length, value: block.length })
  return Buffer.concat([block, comment])
}

interface Entry {
  readonly tag: number
  readonly type: number
  readonly count: number
  readonly value: number
}

function writeEntry(block: Buffer, at: number, { tag, type, count, value }: Entry): void {
  block.writeUInt16BE(tag, at)
  block.writeUInt16BE(type, at + 2)
  block.writeUInt32BE(count, at + 4)
  block.writeUInt32BE(value, at + 8)
}
