import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Abortable } from '../../core/waiting.ts'
import type { ListedFile, ModelFile } from '../model-file.ts'
import type { ModelSource } from '../model-source.ts'
import { fetchPublic } from '../web/fetch-public.ts'
import { explainBreaks } from '../web/web-source.ts'
import { chooseGguf } from './choose-gguf.ts'
import { choosePictureModel } from './choose-picture-model.ts'
import { explainRefusal, type HubAccess, type HubReference, type RepositoryFile, readRepository } from './hub-access.ts'
import { type OriginFile, readParts, refuseIncomplete } from './split-model.ts'

/** The files of a hub reference: the generated description, and the origin of each file. */
interface Offer {
  readonly modelFile: ModelFile
  readonly origins: ReadonlyMap<string, OriginFile>
  /** Small files, downloaded with the list. */
  readonly contents: ReadonlyMap<string, Buffer>
  readonly notes: readonly string[]
}

/** Maximum total size of small files, such as vocabularies and configurations. */
const maxSmallBytes = 64 * 1024 * 1024

/** A hub reference as a source; its `model.json` is generated from the file list with the hub's checksums. */
export function createHubSource(hub: HubAccess, reference: HubReference, parts: readonly HubReference[] = []): ModelSource {
  let offer: Promise<Offer> | null = null
  const read = (options: Abortable) =>
    parts.length === 0 ? readOffer(hub, reference, options) : readSplitOffer(hub, [reference, ...parts], options)
  return {
    spreads: true,
    async readModelFile({ signal }) {
      offer ??= read({ signal })
      return `${JSON.stringify((await offer).modelFile, null, 2)}\n`
    },
    async describe({ signal }) {
      offer ??= read({ signal })
      return (await offer).notes
    },
    async openFile(path, offset, { signal }) {
      offer ??= read({ signal })
      const { origins, contents } = await offer
      const content = contents.get(path)
      if (content !== undefined) return { offset, bytes: [content.subarray(offset)] }
      const origin = origins.get(path)
      return openOrigin(hub, origin?.from ?? reference, origin?.path ?? path, offset, { signal })
    },
  }
}

async function readSplitOffer(hub: HubAccess, references: readonly [HubReference, ...HubReference[]], options: Abortable): Promise<Offer> {
  const [reference] = references
  const { files: origins, licenses } = await readParts(hub, references, options)
  await refuseIncomplete(origins, async ({ from, path }) => (await openOrigin(hub, from ?? reference, path, 0, options)).bytes)
  const contents = await readSmall(hub, reference, origins, options)
  const [file = ''] = origins.keys()
  const name = file.replace(/\.(?:gguf|safetensors)$/u, '')
  const id = `${reference.repository}:${name}`.toLowerCase()
  const modelFile: ModelFile = { id, name, kind: 'image', format: 'safetensors', file, files: listFiles(origins, contents) }
  return { modelFile, origins, contents, notes: [`Licences: ${licenses.join(', ')}.`] }
}

async function readOffer(hub: HubAccess, reference: HubReference, { signal }: Abortable): Promise<Offer> {
  const { repository, choice } = reference
  const { files, license } = await readRepository(hub, reference, { signal })
  const about = { name: repository.split('/')[1] ?? repository, ...(license !== null && { license }) }
  const text = choice === null || !choice.endsWith('.safetensors') ? chooseGguf(repository, files, choice) : null
  if (text !== null) {
    const [first] = text.files
    const named = (file: RepositoryFile) => [file.path.split('/').at(-1) ?? file.path, file] as const
    const eyes = text.projector === null ? [] : [named(text.projector)]
    const origins = new Map([...text.files.map(named), ...eyes])
    const [file = first?.path ?? ''] = origins.keys()
    const id = text.isDefault || text.quantization === null ? repository : `${repository}:${text.quantization}`
    const contents = await readSmall(hub, reference, origins, { signal })
    const base = { id: id.toLowerCase(), ...about, files: listFiles(origins, contents) }
    const [[projector] = []] = eyes
    const sees = projector === undefined ? {} : { projector }
    return { modelFile: { ...base, kind: 'text', format: 'gguf', file, ...sees }, origins, contents, notes: text.notes }
  }
  const picture = choosePictureModel(repository, files, choice)
  if (picture === null)
    throw new Error(`${repository} has no GGUF or .safetensors model that Sepia can run; use sepia model search to find one.`)
  const { files: origins, file, notes } = picture
  const contents = await readSmall(hub, reference, origins, { signal })
  const id = file === null || choice === null ? repository : `${repository}:${file.replace(/\.safetensors$/, '')}`
  const base = { id: id.toLowerCase(), ...about, files: listFiles(origins, contents) }
  return { modelFile: { ...base, kind: 'image', format: 'safetensors', ...(file !== null && { file }) }, origins, contents, notes }
}

function listFiles(
  origins: ReadonlyMap<string, RepositoryFile>,
  contents: ReadonlyMap<string, Buffer>,
): Readonly<Record<string, ListedFile>> {
  return Object.fromEntries(
    [...origins].map(([path, { bytes, sha256 }]) => {
      const content = contents.get(path)
      return [path, { bytes, sha256: sha256 ?? (content === undefined ? '' : sha256Of(content)) }]
    }),
  )
}

/** The hub has no SHA-256 of small files, so they are downloaded at once and checked against Git's hash. */
async function readSmall(
  hub: HubAccess,
  reference: HubReference,
  origins: ReadonlyMap<string, OriginFile>,
  { signal }: Abortable,
): Promise<ReadonlyMap<string, Buffer>> {
  const small = [...origins].filter(([, { sha256 }]) => sha256 === null)
  if (small.reduce((sum, [, { bytes }]) => sum + bytes, 0) > maxSmallBytes)
    throw new Error(`${reference.repository} has weights without checksums; ask its publisher to store them as large files.`)
  const contents = new Map<string, Buffer>()
  for (const [path, file] of small) {
    const { bytes } = await openOrigin(hub, file.from ?? reference, file.path, 0, { signal })
    const content = await buffer(bytes)
    const hash = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
    if (content.length !== file.bytes || hash !== file.gitHash) throw new Error(`${file.path} arrived damaged; run the same command again.`)
    contents.set(path, content)
  }
  return contents
}

async function openOrigin(
  hub: HubAccess,
  { repository, revision }: HubReference,
  path: string,
  offset: number,
  { signal }: Abortable,
): Promise<{ readonly offset: number; readonly bytes: AsyncIterable<Uint8Array> }> {
  const steps = [...repository.split('/'), 'resolve', revision, ...path.split('/')].map(encodeURIComponent)
  const address = new URL(`${hub.endpoint}/${steps.join('/')}`)
  const response = await fetchPublic({ address, from: offset, bearer: hub.token }, hub, {
    signal,
    explain: (status) => explainRefusal(status, repository, hub),
  })
  return { offset: response.statusCode === 206 ? offset : 0, bytes: explainBreaks(response, address, { rules: hub, signal }) }
}

function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
