import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { TransformerFamily, UnetFamily } from '../../core/checkpoint/checkpoint-family.ts'
import { holdsVaeEncoder, isCount, sd3Limits } from '../../core/checkpoint/model-files.ts'
import { completeWidths } from '../../core/checkpoint/text-widths.ts'
import { addPart } from '../../core/memory/image-parts.ts'
import type { ImageModelBounds } from '../../core/model.ts'
import { type CatalogFault, fileFault } from '../catalog-fault.ts'
import { readObject } from '../describe/read-object.ts'
import { describeCheckpoint } from './describe-checkpoint.ts'
import { readFileHeader } from './read-file-header.ts'

type Described = Awaited<ReturnType<typeof describeCheckpoint>> & {
  readonly folder: string
  readonly bytes: number
  readonly created: number
}

const notAnObject = 'is not a JSON object; copy the whole folder again.'
const networks = ['unet', 'transformer', 'vae', 'text_encoder', 'text_encoder_2', 'text_encoder_3']

/** Describes a folder in diffusers' layout by its small files; weights are checked at loading. */
export async function describeDiffusersFolder(
  folder: string,
  name: string = basename(folder),
): Promise<Described | { readonly fault: CatalogFault }> {
  const file = join(folder, 'model_index.json')
  const fault = (message: string, at = file) => ({ fault: fileFault(at, message) })
  const [index, unet, transformer, first, second, scheduler] = await Promise.all(
    [
      'model_index.json',
      ...['unet', 'transformer', 'text_encoder', 'text_encoder_2'].map((part) => `${part}/config.json`),
      'scheduler/scheduler_config.json',
    ].map((path) => readObject(folder, path)),
  )
  if (index == null) return fault(notAnObject)
  if (unet == null && transformer == null) {
    for (const config of ['unet/config.json', 'transformer/config.json'])
      if ((await stat(join(folder, config)).catch(() => null)) !== null) return fault(notAnObject, join(folder, config))
    return fault('is not an image model: it has neither "unet/config.json" nor "transformer/config.json".')
  }
  const broken = await findBrokenLink(folder)
  if (broken !== null) return fault('is a broken link; replace it with the file.', join(folder, broken))
  const sizes = await Promise.all(networks.map(async (network) => [network, await weightsOf(join(folder, network))] as const))
  if (sizes.every(([, size]) => size === 0)) return fault('is in a folder without .safetensors files; copy the whole folder again.')
  const family = transformer == null ? familyOf(unet ?? {}, { first: first ?? null, second: second ?? null }) : transformerOf(transformer)
  if (family === null) {
    const named = transformer?._class_name
    if (named === undefined)
      return fault('names no transformer in "_class_name"; copy the folder again.', join(folder, 'transformer/config.json'))
    return fault(`names the transformer ${String(named)}; Sepia runs those of FLUX.1, FLUX.2 klein, Z-Image and Stable Diffusion 3.`)
  }
  const layers = [first, second].flatMap((config) => (typeof config?.num_hidden_layers === 'number' ? [config.num_hidden_layers] : []))
  const stated = scheduler?.prediction_type
  const prediction = stated === 'epsilon' || stated === 'v_prediction' ? stated : null
  // SD 2.x folders leave out the last layer, which single files contain.
  const counted = layers.length === 0 ? null : Math.min(...layers) + (family === 'sd2' ? 1 : 0)
  const [firstWidth, secondWidth] = [first?.hidden_size, second?.hidden_size]
  const textWidths = completeWidths(family, {
    ...(isCount(firstWidth) && { first: firstWidth }),
    ...(isCount(secondWidth) && { second: secondWidth }),
  })
  const described = await describeCheckpoint(
    {
      ...{ family, prediction, layers: counted },
      inpainting: unet?.in_channels === 9,
      encodes: await encodesPictures(join(folder, 'vae')),
      limits: {
        ...(family === 'sd3' && sd3Limits(transformer?.pos_embed_max_size, transformer?.num_layers)),
        ...widthOf(transformer ?? {}),
        ...(textWidths && { textWidths }),
      },
      ...(scheduler != null && { scheduler }),
    },
    { weights: folder, name },
  )
  const stats = await stat(file)
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  const parts = transformer == null ? undefined : sizes.reduce((sum, [name, size]) => addPart(sum, name, size), noParts)
  const checkpoint = described.checkpoint && { ...described.checkpoint, ...(parts && { parts }) }
  return { ...described, ...(checkpoint && { checkpoint }), folder, bytes, created: Math.floor(stats.mtimeMs / 1000) }
}

type Json = Readonly<Record<string, unknown>>

function familyOf(unet: Json, { first, second }: { readonly first: Json | null; readonly second: Json | null }): UnetFamily {
  if (second !== null) return first === null ? 'sdxl-refiner' : 'sdxl'
  return unet.use_linear_projection === true ? 'sd2' : 'sd15'
}

/** The family of a transformer according to its config; null = unsupported. */
function transformerOf({ _class_name: name, guidance_embeds: embeds }: Json): TransformerFamily | null {
  if (name === 'FluxTransformer2DModel') return embeds === true ? 'flux-dev' : 'flux-schnell'
  if (name === 'Flux2Transformer2DModel') return embeds === true ? null : 'flux2-klein'
  if (name === 'ZImageTransformer2DModel') return 'z-image'
  return name === 'SD3Transformer2DModel' ? 'sd3' : null
}

/** Whether a folder's VAE has an encoder, needed to start from an image; a VAE that cannot be read is reported when it is loaded. */
async function encodesPictures(folder: string): Promise<boolean> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.safetensors'))
  const headers = await Promise.all(names.map((name) => readFileHeader(join(folder, name)).catch(() => ({ fault: '' }))))
  return headers.length === 0 || headers.some((header) => 'fault' in header || holdsVaeEncoder(header))
}

function widthOf({ num_attention_heads: heads, attention_head_dim: width }: Json): Pick<ImageModelBounds, 'width'> {
  return isCount(heads) && isCount(width) ? { width: heads * width } : {}
}

const noParts = { texts: 0, transformer: 0, vae: 0 }

/** Total size of the weight files in a folder. */
async function weightsOf(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.safetensors'))
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))))
  return stats.reduce((sum, { size }) => sum + size, 0)
}

/**
 * Finds the first broken link in a folder. Links to files outside are common in hub caches, and engines may read their targets.
 *
 * @returns Its path inside the folder; null = none.
 */
async function findBrokenLink(folder: string): Promise<string | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    if ((await stat(path).catch(() => null)) === null) return path.slice(folder.length + 1)
  }
  return null
}
