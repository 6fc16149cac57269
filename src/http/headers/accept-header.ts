import type { ImageEncoding } from '../../core/image-generation.ts'

/** The answer that an Accept header requests of an image route: JSON, an image, or an image in one encoding. */
export type ImageAnswer = { readonly type: 'json' } | { readonly type: 'image'; readonly encoding: ImageEncoding | null }

/**
 * Reads an Accept header. Unknown types mean JSON, and so does an empty header, which the published client sends.
 *
 * @see RFC 9110, section 12.5.1
 */
export function readImageAccept(header: string | undefined): ImageAnswer {
  const ranges = (header ?? '').split(',').map(parseRange)
  for (const { type } of ranges.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality)) {
    if (type === 'application/json' || type === 'application/*' || type === '*/*') return { type: 'json' }
    if (type === 'image/*') return { type: 'image', encoding: null }
    const encoding = encodings.find((name) => type === `image/${name}`)
    if (encoding !== undefined) return { type: 'image', encoding }
  }
  return { type: 'json' }
}

const encodings: readonly ImageEncoding[] = ['png', 'jpeg', 'webp']

function parseRange(text: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
  return { type, quality: Number.isNaN(quality) ? 0 : quality }
}
