import type { ImageProgress, ImageResult } from '../core/image-generation.ts'

/** What a streamed drawing yields: previews, and at the end exactly one result. */
export type ImageDrawingPart =
  /** A small JPEG of the current estimate. */
  { readonly type: 'preview'; readonly image: Uint8Array } | { readonly type: 'result'; readonly result: ImageResult }

/**
 * Streams a drawing: of its previews so many, spread evenly over its steps, and only the newest where they come faster than they are taken.
 *
 * @param draw Draws, and throws what it likes.
 */
export async function* streamImage(
  draw: (onProgress: (progress: ImageProgress) => void) => Promise<ImageResult>,
  { previews }: { readonly previews: number },
): AsyncGenerator<ImageDrawingPart, void, undefined> {
  const newest: Uint8Array[] = []
  let due = 1
  let news = Promise.withResolvers<null>()
  const drawn = draw(({ step, total, preview }) => {
    if (preview === undefined || due > previews || step < (due * total) / (previews + 1) || step >= total) return
    due += 1
    newest[0] = preview
    news.resolve(null)
  })
  for (;;) {
    const result = await Promise.race([drawn, news.promise])
    const image = newest.pop()
    if (image !== undefined) {
      news = Promise.withResolvers()
      yield { type: 'preview', image }
    } else if (result !== null) {
      yield { type: 'result', result }
      return
    }
  }
}
