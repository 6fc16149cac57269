import { realpath, stat } from 'node:fs/promises'
import type { ExaminedWeights } from '../../core/assets/asset.ts'
import { loraFacts } from '../../core/checkpoint/lora-facts.ts'
import { readLoraPace } from '../../core/checkpoint/lora-pace.ts'
import { refuseLora } from '../../core/checkpoint/lora-refusal.ts'
import { countTextLayers, holdsVaeEncoder, readSd3Limits, readWidth } from '../../core/checkpoint/model-files.ts'
import type { SafetensorsHeader } from '../../core/checkpoint/safetensors-header.ts'
import { detectSafetensorsKind, type SafetensorsKind } from '../../core/checkpoint/safetensors-kind.ts'
import { readTextWidths, readVectorWidths } from '../../core/checkpoint/text-widths.ts'
import { partsInFile } from '../../core/memory/image-parts.ts'
import type { FoundPart } from './assemble-models.ts'
import { describeCheckpoint, type FoundCheckpoint } from './describe-checkpoint.ts'
import { readFileHeader } from './read-file-header.ts'

/** Latent channels of transformers. */
const transformerChannels: readonly number[] = [16, 32]

/** The component of a transformer model that a file holds; null = none. */
export function partOf(found: SafetensorsKind): Pick<FoundPart, 'part' | 'width'> | null {
  if (found.kind === 'text-encoder') return { part: found.encoder, width: found.width }
  // No supported UNet has more latent channels.
  const isVae = found.kind === 'vae' && transformerChannels.includes(found.channels)
  return isVae ? { part: 'vae', width: found.channels } : null
}

/** Describes a file that holds a model; a transformer as if nothing was missing. */
export async function describeFile(
  found: SafetensorsKind & { readonly kind: 'checkpoint' | 'transformer' },
  header: SafetensorsHeader,
  at: { readonly weights: string; readonly name: string },
): ReturnType<typeof describeCheckpoint> {
  const layers = countTextLayers(header)
  if (found.kind === 'checkpoint') {
    const textWidths = readTextWidths(header, found.family)
    return describeCheckpoint({ ...found, layers, limits: { ...(textWidths && { textWidths }) } }, at)
  }
  const { family } = found
  const { checkpoint, ...described } = await describeCheckpoint(
    { family, prediction: null, inpainting: false, layers, ...limitsInFile(header, found) },
    at,
  )
  return { ...described, ...(checkpoint && { checkpoint: { ...checkpoint, parts: partsInFile(header, family) } }) }
}

/** Limits in the header of a transformer's own file. */
function limitsInFile(
  header: SafetensorsHeader,
  { family, lacks }: Pick<SafetensorsKind & { readonly kind: 'transformer' }, 'family' | 'lacks'>,
): Pick<FoundCheckpoint, 'limits' | 'encodes'> {
  const width = readWidth(header)
  return {
    limits: { ...(family === 'sd3' && readSd3Limits(header)), ...(width !== undefined && { width }) },
    encodes: lacks.some(({ part }) => part === 'vae') || holdsVaeEncoder(header),
  }
}

/** An upscaler takes any picture, so these drawing defaults have no meaning. */
const upscalerDefaults = {
  kind: 'image',
  format: 'upscaler',
  license: null,
  native: { width: 1024, height: 1024 },
  draws: 'requested',
  sizes: { type: 'range', min: 8, max: 8192 },
  defaults: { steps: 1, guidanceScale: 1, sampler: 'DDIM' },
  refiner: null,
} as const

/**
 * Classifies a `.safetensors` or `.gguf` file by its header; `name` is used in the result.
 *
 * @throws {Error} if the file cannot be read.
 */
export async function examineWeights(path: string, name: string): Promise<ExaminedWeights> {
  const header = await readFileHeader(path)
  if ('fault' in header) return { kind: 'faulty', reason: header.fault }
  const stats = await stat(path)
  const facts = { bytes: stats.size, created: Math.floor(stats.mtimeMs / 1000) }
  const found = detectSafetensorsKind(header, name)
  if (found.kind === 'unknown') return { kind: 'unusable', reason: found.reason }
  if (found.kind === 'checkpoint' || found.kind === 'transformer') {
    const described = await describeFile(found, header, { weights: path, name })
    const descriptor = { ...described, ...facts, id: name, name, folder: path, license: null }
    if (found.kind === 'checkpoint') return { kind: 'checkpoint', descriptor }
    const { family, lacks } = found
    return { kind: 'transformer', family, lacks, descriptor }
  }
  if (found.kind === 'text-encoder') {
    const layers = countTextLayers(header)
    return { kind: 'part', part: found.encoder, width: found.width, ...(layers !== null && { layers }), bytes: stats.size }
  }
  const part = partOf(found)
  if (part !== null) return { kind: 'part', ...part, encodes: holdsVaeEncoder(header), bytes: stats.size }
  if (found.kind === 'upscaler') {
    const upscaler = { weights: await realpath(path), scale: found.layout.scale }
    return { kind: 'upscaler', descriptor: { ...upscalerDefaults, ...facts, id: name, name, folder: path, upscaler } }
  }
  const refusal = found.kind === 'lora' ? refuseLora([...header.tensors.keys()]) : null
  if (refusal !== null) return { kind: 'unusable', reason: refusal }
  const pace = found.kind === 'lora' ? readLoraPace(name, header.metadata) : null
  const family = 'family' in found ? found.family : null
  const textWidths = found.kind === 'textual-inversion' ? readVectorWidths(header, found.kind) : undefined
  const fits = found.kind === 'lora' ? loraFacts(header) : { ...(textWidths && { textWidths }) }
  return { kind: 'asset', descriptor: { ...facts, kind: found.kind, name, file: path, family, ...fits, ...(pace && { pace }) } }
}
