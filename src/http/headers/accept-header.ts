import type { ImageEncoding } from '../../core/image-generation.ts'

/** What an Accept header asks an image route for: JSON, an image, or an image of one encoding. */
export type ImageAnswer = { readonly type: 'json' } | { readonly type: 'image'; readonly encoding: ImageEncoding | null }

/**
 * Reads an Accept header; the published client sends it empty, which means JSON, as does anything unknown.
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
