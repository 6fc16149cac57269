import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { AssetDescriptor } from '../../core/assets/asset.ts'
import type { GgufFacts } from '../../core/gguf/gguf-facts.ts'
import type { ProjectorFacts } from '../../core/gguf/projector-facts.ts'
import type { CatalogEntry } from '../catalog-fault.ts'
import { describeGguf, readGguf, refuseGguf } from './read-gguf.ts'

/** An mmproj file. */
export interface FoundProjector {
  /** Absolute path. */
  readonly path: string
  readonly bytes: number
  /** A fault completes a sentence about the file. */
  readonly facts: ProjectorFacts | { readonly fault: string }
}

/** Classification of a GGUF file without a `model.json`; null = a part of a split file with an earlier one beside it. */
export type LooseGguf =
  | {
      readonly entry: CatalogEntry
      /** Whether image models may use it as a text encoder. */
      readonly encodes: boolean
    }
  /** A LoRA for language models. */
  | { readonly asset: AssetDescriptor }
  /** Weights of an image model, with the reason in case Sepia does not support them. */
  | { readonly draws: true; readonly foreign: string }
  /** A projector for a model beside it, with the reason why it is not a model itself. */
  | { readonly projector: FoundProjector; readonly unusable: string }
  | { readonly unusable: string }
  | { readonly fault: string }
  | null

/** Language models used as text encoders of image models. */
const textEncoders: readonly string[] = ['qwen3', 't5', 't5encoder']

/**
 * Classifies a loose GGUF file by its header; the first part of a split file stands for all.
 *
 * @param name Its name in requests.
 */
export async function readLooseGguf({
  path,
  source,
  name,
}: {
  readonly path: string
  readonly source: number
  readonly name: string
}): Promise<LooseGguf> {
  const facts = await readGguf(path)
  if ('fault' in facts) return facts
  if (facts.use === 'picture')
    return {
      draws: true,
      foreign: `is an image model (${facts.architecture}) that Sepia does not run from GGUF; use its .safetensors file`,
    }
  if (facts.use === 'adapter') {
    const { size, mtimeMs } = await stat(path)
    const { architecture } = facts
    return { asset: { kind: 'adapter', name, file: path, family: null, architecture, bytes: size, created: Math.floor(mtimeMs / 1000) } }
  }
  const refusal = refuseGguf(facts)
  if (refusal !== null && facts.projector !== undefined)
    return { projector: { path, bytes: (await stat(path)).size, facts: facts.projector }, unusable: refusal }
  if (refusal !== null) return { unusable: refusal }
  const stats = await Promise.all(partsOf(path, facts).map((part) => stat(part).catch(() => null)))
  const missing = stats.filter((each) => each === null).length
  // The first part that is there stands for all.
  const first = stats.findIndex((each) => each !== null)
  if (facts.split !== null && first >= 0 && first < facts.split.index) return null
  if (facts.split !== null && first < 0) return { fault: `is one of ${stats.length} parts, and its name must end in ${endOf(facts.split)}` }
  if (missing > 0) return { fault: `lacks ${missing} of its ${stats.length} parts; copy them into the same folder` }
  const descriptor = {
    kind: 'text',
    format: 'gguf',
    id: name,
    name: facts.name ?? name,
    folder: dirname(path),
    file: path,
    license: facts.license,
    bytes: stats.reduce((sum, each) => sum + (each?.size ?? 0), 0),
    created: Math.floor((stats[0]?.mtimeMs ?? 0) / 1000),
    contextLength: null,
    embeddings: facts.use === 'embeddings',
    speculative: null,
    ...describeGguf(facts),
  } as const
  return { entry: { source, modelFile: path, descriptor }, encodes: textEncoders.includes(facts.architecture) }
}

/** llama.cpp finds the other parts by these names. */
function partsOf(path: string, { split }: GgufFacts): readonly string[] {
  if (split === null) return [path]
  const start = basename(path).replace(/-\d{5}-of-\d{5}\.gguf$/i, '')
  return Array.from({ length: split.count }, (_, index) => join(dirname(path), `${start}${endOf({ ...split, index })}`))
}

function endOf({ index, count }: NonNullable<GgufFacts['split']>): string {
  const five = (number: number): string => String(number).padStart(5, '0')
  return `-${five(index + 1)}-of-${five(count)}.gguf`
}
