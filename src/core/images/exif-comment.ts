const exifPointerTag = 0x8769
const userCommentTag = 0x9286
const entryBytes = 12
const encodingBytes = 8

/** The user comment in a TIFF structure, or null. @see EXIF 2.32, 4.6.5 */
export function readUserComment(tiff: Uint8Array): string | null {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength)
  if (view.byteLength < 8) return null
  const little = tiff[0] === 0x49
  const pointer = findEntry(view, view.getUint32(4, little), exifPointerTag, little)
  const comment = pointer === null ? null : findEntry(view, view.getUint32(pointer + 8, little), userCommentTag, little)
  if (comment === null) return null
  const start = view.getUint32(comment + 8, little)
  const body = tiff.subarray(start, start + view.getUint32(comment + 4, little))
  const encoding = new TextDecoder('latin1').decode(body.subarray(0, encodingBytes)).replace(/\0+$/, '')
  const text = body.subarray(encodingBytes)
  if (encoding !== 'UNICODE') return new TextDecoder().decode(text)
  return new TextDecoder(little ? 'utf-16le' : 'utf-16be').decode(text)
}

/** Offset of the entry of a tag in a directory, or null. */
function findEntry(view: DataView, directory: number, tag: number, little: boolean): number | null {
  if (directory + 2 > view.byteLength) return null
  const count = view.getUint16(directory, little)
  for (let index = 0; index < count; index++) {
    const at = directory + 2 + index * entryBytes
    if (at + entryBytes <= view.byteLength && view.getUint16(at, little) === tag) return at
  }
  return null
}
