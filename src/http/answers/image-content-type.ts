/** The media type of an image file made by this service, from its first bytes. */
export function imageContentType(bytes: Uint8Array): 'image/png' | 'image/webp' | 'image/jpeg' {
  if (bytes[0] === 0x89) return 'image/png'
  return bytes[0] === 0x52 ? 'image/webp' : 'image/jpeg'
}
