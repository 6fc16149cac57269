const formats = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const

/** Formats of pictures that are read. */
export type PictureFormat = (typeof formats)[number]

/** First bytes of each. */
const signatures: Readonly<Record<PictureFormat, { readonly at: number; readonly bytes: string }>> = {
  png: { at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  jpeg: { at: 0, bytes: '\xff\xd8\xff' },
  webp: { at: 8, bytes: 'WEBP' },
  gif: { at: 0, bytes: 'GIF8' },
  avif: { at: 4, bytes: 'ftypavif' },
}

/** What a file says with its first bytes; anything but a format that is read never reaches a decoder. */
export function pictureFormat(file: Uint8Array): PictureFormat | undefined {
  const start = String.fromCharCode(...file.subarray(0, 16))
  return formats.find((format) => start.startsWith(signatures[format].bytes, signatures[format].at))
}
