import type { FastifyInstance } from 'fastify'
import type { Inference, OutputReference } from '../../core/inference.ts'
import { clientSignal } from '../../http/client-signal.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { GalleryPage, GalleryPicture } from '../contract/gallery.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { findStoredImages, hasPictures } from '../stored-images.ts'

const outputsPerPage = 12
const recordsPerLook = 50
/** However many other requests lie between two pictures, one answer looks through no more pages of records. */
const mostLooks = 20

/** GET /console/api/gallery: the pictures of one's own outputs that are still stored, newest first. */
export function registerGallery(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'log' | 'outputs' | 'clock'>): void {
  own.get<{ Querystring: { after?: string } }>('/console/api/gallery', async (request, reply): Promise<GalleryPage> => {
    const signal = clientSignal(reply)
    const accountId = personOf(request).id
    const { found, next } = await findPictures(deps, { accountId, after: request.query.after ?? null }, signal)
    const pictures: GalleryPicture[] = []
    for (const inference of found) {
      const images = await findStoredImages(deps, inference.output, { signal })
      for (const [index, { seed, removedForSafety }] of images.pictures.entries())
        if (!removedForSafety) pictures.push({ inferenceId: inference.id, index, seed, removedForSafety, expiresAt: inference.expiresAt })
    }
    return { pictures, next }
  })
}

type StoredInference = Inference & { readonly expiresAt: number; readonly output: OutputReference }

/** Goes through the records until a page is full. */
async function findPictures(
  { log, clock }: Pick<ConsoleDependencies, 'log' | 'clock'>,
  { accountId, after }: { readonly accountId: string; readonly after: string | null },
  signal: AbortSignal,
): Promise<{ readonly found: readonly StoredInference[]; readonly next: string | null }> {
  const found: StoredInference[] = []
  let cursor = after
  for (let look = 0; look < mostLooks; look++) {
    const page = await log.list({ accountId, status: 'completed', limit: recordsPerLook, after: cursor }, { signal })
    for (const inference of page.inferences) {
      if (hasPictures(inference, clock.now())) found.push(inference)
      if (found.length === outputsPerPage) return { found, next: inference.id }
    }
    if (page.next === null) return { found, next: null }
    cursor = page.next
  }
  return { found, next: cursor }
}
