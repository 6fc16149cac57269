import type { ImageSizes } from '../model.ts'

const portrait = [
  [896, 1152],
  [832, 1216],
  [768, 1344],
  [640, 1536],
] as const

/**
 * The sizes offered for SDXL: a square, four portrait formats and their transposes.
 *
 * @see Podell et al. 2023, arXiv:2307.01952, appendix I
 */
export const sdxlSizes: ImageSizes = {
  type: 'list',
  sizes: [
    { width: 1024, height: 1024 },
    ...portrait.map(([width, height]) => ({ width, height })),
    ...portrait.map(([height, width]) => ({ width, height })),
  ],
}

/** Sizes of a model whose `model.json` lists none. */
export function defaultSizes({ native, draws }: { native: { width: number; height: number }; draws: 'native' | 'requested' }): ImageSizes {
  if (draws === 'native') return { type: 'range', min: 64, max: 2048 }
  return native.width === 1024 && native.height === 1024 ? sdxlSizes : { type: 'list', sizes: [native] }
}

const formats = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const

/** Formats of input pictures. */
export type PictureFormat = (typeof formats)[number]

/** Signature of each format at the start of a file. */
const signatures: Readonly<Record<PictureFormat, { readonly at: number; readonly bytes: string }>> = {
  png: { at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  jpeg: { at: 0, bytes: '\xff\xd8\xff' },
  webp: { at: 8, bytes: 'WEBP' },
  gif: { at: 0, bytes: 'GIF8' },
  avif: { at: 4, bytes: 'ftypavif' },
}

/** Detects the format by the first bytes; undefined = unsupported, so that the file never reaches a decoder. */
export function pictureFormat(file: Uint8Array): PictureFormat | undefined {
  const start = String.fromCharCode(...file.subarray(0, 16))
  return formats.find((format) => start.startsWith(signatures[format].bytes, signatures[format].at))
}
