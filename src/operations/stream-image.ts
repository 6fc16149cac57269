import type { ImageProgress, ImageResult } from '../core/image-generation.ts'

/** Parts of a streamed drawing: previews, then exactly one result. */
export type ImageDrawingPart =
  /** A small JPEG of the current estimate. */
  { readonly type: 'preview'; readonly image: Uint8Array } | { readonly type: 'result'; readonly result: ImageResult }

/**
 * Streams a drawing with a number of previews spread evenly over its steps. A slow consumer gets only the newest one.
 *
 * @param draw Draws; its errors are passed on.
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
