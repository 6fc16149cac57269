import { lackingReason } from '../../core/checkpoint/model-parts.ts'
import { SafetensorsFault } from '../../core/checkpoint/safetensors-header.ts'
import { detectSafetensorsKind } from '../../core/checkpoint/safetensors-kind.ts'
import { readWeightsHeader } from '../../core/checkpoint/weights-header.ts'
import type { Abortable } from '../../core/waiting.ts'
import { findMissing, fitsSlot } from '../checkpoint/assemble-models.ts'
import { partOf } from '../checkpoint/examine-weights.ts'
import { type HubAccess, type HubReference, type RepositoryFile, readRepository } from './hub-access.ts'

/** A file of a model; `repository` is set if it differs from the model's. */
export interface OriginFile extends RepositoryFile {
  readonly from?: HubReference
}

/** Weights, and the two kinds of tokenizer files. */
const isPart = /(?:\.(?:gguf|safetensors)|(?:^|\/)(?:tokenizer\.json|spiece\.model))$/u

/**
 * Resolves a model with components in several repositories: the transformer first, then the others by path.
 *
 * @returns The files by path in the model's folder.
 * @throws {Error} naming a missing component.
 */
export async function readParts(
  hub: HubAccess,
  references: readonly HubReference[],
  options: Abortable,
): Promise<{ readonly files: ReadonlyMap<string, OriginFile>; readonly licenses: readonly string[] }> {
  const files = new Map<string, OriginFile>()
  const licenses: string[] = []
  for (const from of references) {
    const { repository, choice } = from
    if (choice === null || !isPart.test(choice))
      throw new Error(
        `hf:${repository} must name one file of the model after ":", a .gguf, a .safetensors, tokenizer.json or spiece.model.`,
      )
    const { files: offered, license } = await readRepository(hub, from, options)
    const file = offered.find(({ path }) => path === choice)
    if (file === undefined) throw new Error(`${repository} has no file ${choice}; see ${hub.endpoint}/${repository}.`)
    const place = placeOf(repository, choice)
    if (files.has(place)) throw new Error(`Two parts are called ${place}; name one of them.`)
    files.set(place, { ...file, from })
    licenses.push(`${repository}: ${license ?? 'not stated'}`)
  }
  return { files, licenses }
}

/** Opens a file of the set from its beginning. */
export type OpenOrigin = (file: OriginFile) => Promise<AsyncIterable<Uint8Array>>

/** No header of weights is longer. */
const maxHeaderBytes = 64 * 1024 * 1024

/**
 * Reads the beginning of each file of weights, and tells what the set lacks before any of them is downloaded.
 *
 * @param files By the path that each gets in the model's folder, the transformer first.
 * @throws {Error} naming what is wrong.
 */
export async function refuseIncomplete(files: ReadonlyMap<string, OriginFile>, openOrigin: OpenOrigin): Promise<void> {
  const [first = ''] = files.keys()
  const kinds = new Map<string, ReturnType<typeof detectSafetensorsKind>>()
  for (const [name, file] of files)
    if (/\.(?:gguf|safetensors)$/u.test(name)) kinds.set(name, detectSafetensorsKind(await readHeader(name, file, openOrigin), name))
  const model = kinds.get(first)
  if (model?.kind !== 'transformer')
    throw new Error(
      `${first} ${model?.kind === 'unknown' ? model.reason : 'is not a transformer'}; name the file of the transformer first, then its parts.`,
    )
  const parts = [...kinds].flatMap(([path, kind]) => {
    const part = partOf(kind)
    return part === null ? [] : { ...part, path }
  })
  const missing = await findMissing(model.lacks, (slot) => {
    const tokenizer = /^tokenizer-(.*)$/u.exec(slot.part)?.[1]
    if (tokenizer !== undefined) return [...files.keys()].some((name) => name.startsWith(`tokenizers/${tokenizer}/`))
    return parts.some((part) => fitsSlot(slot, part, model.family))
  })
  if (missing.length > 0) throw new Error(`${first} ${lackingReason(model.family, missing, 'add these with "+"')}.`)
}

async function readHeader(name: string, file: OriginFile, openOrigin: OpenOrigin): Promise<Awaited<ReturnType<typeof readWeightsHeader>>> {
  const chunks = (await openOrigin(file))[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)
  const read = async (offset: number, bytes: number): Promise<Uint8Array> => {
    const end = Math.min(offset + bytes, file.bytes)
    if (end > maxHeaderBytes) throw new SafetensorsFault('has a header that is too long')
    const more: Uint8Array[] = []
    for (let length = held.length; length < end; ) {
      const { done, value } = await chunks.next()
      if (done === true) break
      more.push(value)
      length += value.length
    }
    if (more.length > 0) held = Buffer.concat([held, ...more])
    return held.subarray(offset, end)
  }
  try {
    return await readWeightsHeader(read, file.bytes)
  } catch (error) {
    if (!(error instanceof SafetensorsFault)) throw error
    throw new Error(`${name} ${error.message}; choose another file.`, { cause: error })
  } finally {
    await chunks.return?.()
  }
}

/** Tokenizers go into the folder where their text encoder looks for them. */
function placeOf(repository: string, path: string): string {
  const name = path.split('/').at(-1) ?? path
  if (/\.(?:gguf|safetensors)$/u.test(name)) return name
  const isT5 = name === 'spiece.model' || /t5|flux\.?1|stable-diffusion-3/iu.test(repository)
  return `tokenizers/${isT5 ? 't5' : 'qwen3'}/${name}`
}
