import type { TransformerFamily } from '../checkpoint/checkpoint-family.ts'
import { neededParts, type PartSizes } from '../checkpoint/model-parts.ts'
import type { SafetensorsHeader } from '../checkpoint/safetensors-header.ts'
import type { ImageModelDescriptor } from '../model.ts'

/** What a loaded engine takes before it has any weights. */
export const engineBytes = 130_000_000
/** What drawing takes per pixel at its peak: attention, and the decoder a tile at a time. */
export const bytesPerPixel = 2048

/** How the parts of an image model come to memory. */
export interface PartsPlan {
  /** Whether one part makes room for the next, at each picture. */
  readonly inTurn: boolean
  /** What the engine takes at its peak, in bytes. */
  readonly peak: number
  /** What it takes while it draws nothing, in bytes: below this it cannot be loaded. */
  readonly least: number
}

/**
 * Decides before a load whether the parts of a model stay in memory together: where they fit, a second picture needs no reading.
 *
 * @param budget Bytes that it may take.
 */
export function planParts(
  { bytes, native, checkpoint }: Pick<ImageModelDescriptor, 'bytes' | 'native' | 'checkpoint'>,
  budget: number,
): PartsPlan {
  const drawing = native.width * native.height * bytesPerPixel
  const together = engineBytes + bytes + drawing
  const { parts } = checkpoint ?? {}
  if (parts === undefined) return { inTurn: false, peak: together, least: engineBytes + bytes }
  const { texts, transformer, vae } = parts
  const least = engineBytes + Math.max(texts, transformer, vae)
  if (together <= budget) return { inTurn: false, peak: together, least }
  return { inTurn: true, peak: engineBytes + Math.max(texts, Math.max(transformer, vae) + drawing), least }
}

/** The sizes of the parts that a transformer's own file holds. */
export function partsInFile({ tensors }: Pick<SafetensorsHeader, 'tensors'>, family: TransformerFamily): PartSizes {
  const slots = neededParts(family)
  const sizes = { texts: 0, transformer: 0, vae: 0 }
  for (const [name, { bytes }] of tensors) {
    const slot = slots.find(({ inside }) => inside.some((prefix) => name.startsWith(prefix)))
    sizes[slot === undefined ? 'transformer' : slot.part === 'vae' ? 'vae' : 'texts'] += bytes
  }
  return sizes
}

/** The sizes with those of a part's file. */
export function addPart(sizes: PartSizes, component: string, bytes: number): PartSizes {
  const part = component.startsWith('text_encoder') ? 'texts' : component === 'vae' ? 'vae' : 'transformer'
  return { ...sizes, [part]: sizes[part] + bytes }
}

/** Bits that files of transformers take per weight. */
const quantizations = [
  ['Q8_0', 8.5],
  ['Q4_0', 4.5],
] as const

/** A quantization of a transformer at 16 bits with which the model can be loaded in so many bytes; null = none, or it is a smaller file already. */
export function findFittingTransformer(parts: PartSizes, budget: number): { readonly name: string; readonly bytes: number } | null {
  if (engineBytes + Math.max(parts.texts, parts.vae) > budget) return null
  for (const [name, bits] of quantizations) {
    const bytes = Math.ceil((parts.transformer * bits) / 16)
    if (engineBytes + bytes <= budget) return { name, bytes }
  }
  return null
}
