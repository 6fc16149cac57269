/** A PNG file of 400 × 200 pixels in one colour. */
export const sepiaPng: Buffer = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAZAAAADICAMAAADxy0fQAAAAA1BMVEVwQhQrHqxwAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAZElEQVR42u3BAQ0AAADCoPdPbQ8HFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/Bo5VwABJ1P4rwAAAABJRU5ErkJggg==',
  'base64',
)

/** The width of a lossy WebP file, which its VP8 frame states. */
export function webpWidth(file: Buffer): number {
  return file.readUInt16LE(file.indexOf('VP8 ') + 14) & 0x3fff
}
