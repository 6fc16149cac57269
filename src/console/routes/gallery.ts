import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Inference, OutputReference } from '../../core/inference.ts'
import type { Abortable } from '../../core/waiting.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { pictureMarks } from '../../operations/pictures/kept-pictures.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { GalleryPage, GalleryPicture } from '../contract/gallery.ts'
import { readRequestPlace } from '../find-request.ts'
import { createQueryReader } from '../read-console-input.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { findStoredImages, hasPictures, imageAddress } from '../stored-images.ts'

const outputsPerPage = 24
const recordsPerLook = 50
/** Limit of record pages read for one answer, however many other requests lie between two pictures. */
const maxLooks = 20

const readQuery = createQueryReader({
  search: Type.Optional(Type.String({ maxLength: 200 })),
  after: Type.Optional(Type.String({ maxLength: 100 })),
})

type Dependencies = Pick<ConsoleDependencies, 'log' | 'outputs' | 'clock' | 'requests' | 'documents'>
type StoredInference = Inference & { readonly expiresAt: number; readonly output: OutputReference }

/** GET /console/api/gallery: the stored pictures of the caller's outputs, newest first. */
export function registerGallery(own: FastifyInstance, deps: Dependencies): void {
  own.get('/console/api/gallery', async (request, reply): Promise<GalleryPage> => {
    const options = { signal: clientSignal(reply) }
    const accountId = personOf(request).id
    const { search = '', after = null } = readQuery(request)
    const words = search.trim()
    const { found, next } =
      words === ''
        ? await findPictures(deps, { accountId, after }, options)
        : await searchPictures(deps, { accountId, after, words }, options)
    const pictures: GalleryPicture[] = []
    const prompts = await promptsOf(deps, accountId, found, options)
    for (const inference of found) pictures.push(...(await picturesOf(deps, inference, prompts.get(inference.id) ?? null, options)))
    return { pictures, next }
  })
}

async function picturesOf(
  deps: Dependencies,
  { id, accountId, model, output, expiresAt }: StoredInference,
  prompt: string | null,
  options: Abortable,
): Promise<readonly GalleryPicture[]> {
  const { pictures } = await findStoredImages(deps, output, options)
  const shown = await Promise.all(
    pictures.map(async ({ seed, removedForSafety }, index): Promise<readonly GalleryPicture[]> => {
      if (removedForSafety) return []
      const { kept, hidden } = await pictureMarks(deps, { accountId, inferenceId: id, index }, options)
      if (hidden) return []
      return [{ key: `${id}.${index}`, address: imageAddress(id, index), inferenceId: id, index, seed, model, prompt, kept, expiresAt }]
    }),
  )
  return shown.flat()
}

async function promptsOf(
  { requests }: Dependencies,
  accountId: string,
  found: readonly StoredInference[],
  options: Abortable,
): Promise<ReadonlyMap<string, string>> {
  if (found.length === 0) return new Map()
  const ids = found.map(({ id }) => id)
  const records = await requests.list({ ...allOf(accountId), ids, limit: ids.length }, options)
  return new Map(records.flatMap(({ id, requested }) => (requested === null ? [] : [[id, requested.excerpt]])))
}

/** Reads records until a page is full. */
async function findPictures(
  { log, clock }: Dependencies,
  { accountId, after }: { readonly accountId: string; readonly after: string | null },
  options: Abortable,
): Promise<{ readonly found: readonly StoredInference[]; readonly next: string | null }> {
  const found: StoredInference[] = []
  let cursor = after
  for (let look = 0; look < maxLooks; look++) {
    const page = await log.list({ accountId, status: 'completed', limit: recordsPerLook, after: cursor }, options)
    for (const inference of page.inferences) {
      if (hasPictures(inference, clock.now())) found.push(inference)
      if (found.length === outputsPerPage) return { found, next: inference.id }
    }
    if (page.next === null) return { found, next: null }
    cursor = page.next
  }
  return { found, next: cursor }
}

/** Reads matching prompts until a page is full. */
async function searchPictures(
  { log, clock, requests }: Dependencies,
  { accountId, after, words }: { readonly accountId: string; readonly after: string | null; readonly words: string },
  options: Abortable,
): Promise<{ readonly found: readonly StoredInference[]; readonly next: string | null }> {
  const found: StoredInference[] = []
  let before = after === null ? null : readRequestPlace(after)
  if (after !== null && before === null) return { found, next: null }
  for (let look = 0; look < maxLooks; look++) {
    const records = await requests.list({ ...allOf(accountId), search: words, before, limit: recordsPerLook }, options)
    for (const { id, number } of records) {
      before = number
      const inference = await log.find(id, accountId, options)
      if (inference !== null && hasPictures(inference, clock.now())) found.push(inference)
      if (found.length === outputsPerPage) return { found, next: String(number) }
    }
    if (records.length < recordsPerLook) return { found, next: null }
  }
  return { found, next: String(before) }
}

function allOf(accountId: string) {
  return { accountId, search: null, kind: 'image', deferred: true, ids: null, before: null } as const
}
