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
  options: { readonly signal: AbortSignal },
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

/** Tokenizers go into the folder where their text encoder looks for them. */
function placeOf(repository: string, path: string): string {
  const name = path.split('/').at(-1) ?? path
  if (/\.(?:gguf|safetensors)$/u.test(name)) return name
  const isT5 = name === 'spiece.model' || /t5|flux\.?1|stable-diffusion-3/iu.test(repository)
  return `tokenizers/${isT5 ? 't5' : 'qwen3'}/${name}`
}
