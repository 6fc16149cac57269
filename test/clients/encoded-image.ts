/** Whether a text is bare base64 of a JPEG, PNG or WebP file. */
export function isEncodedImage(text: unknown): boolean {
  if (typeof text !== 'string' || text.startsWith('data:')) return false
  const bytes = Buffer.from(text, 'base64')
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  return isJpeg || bytes.toString('latin1', 1, 4) === 'PNG' || bytes.toString('latin1', 8, 12) === 'WEBP'
}
