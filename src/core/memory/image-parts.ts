import type { TransformerFamily } from '../checkpoint/checkpoint-family.ts'
import { neededParts, type PartSizes } from '../checkpoint/model-parts.ts'
import type { SafetensorsHeader } from '../checkpoint/safetensors-header.ts'
import type { ImageModelDescriptor } from '../model.ts'

/** Memory of an engine without weights, in bytes. */
export const engineBytes = 130_000_000
/** Peak memory per pixel while drawing: attention, and the tiled decoder. */
export const bytesPerPixel = 2048

/** Peak memory per pixel of a reference picture while drawing: its tokens in one layer of the transformer. */
export const bytesPerReferencePixel = 1024

/** How the components of an image model are loaded. */
export interface PartsPlan {
  /** Whether components are loaded one after the other for each picture. */
  readonly inTurn: boolean
  /** Peak memory in bytes. */
  readonly peak: number
  /** Memory while idle in bytes, the minimum for loading. */
  readonly least: number
}

/**
 * Decides whether all components of a model stay in memory; if they fit, later pictures need no loading.
 *
 * @param budget Available bytes.
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

/** Sizes of the components in a transformer's own file. */
export function partsInFile({ tensors }: Pick<SafetensorsHeader, 'tensors'>, family: TransformerFamily): PartSizes {
  const slots = neededParts(family)
  const sizes = { texts: 0, transformer: 0, vae: 0 }
  for (const [name, { bytes }] of tensors) {
    const slot = slots.find(({ inside }) => inside.some((prefix) => name.startsWith(prefix)))
    sizes[slot === undefined ? 'transformer' : slot.part === 'vae' ? 'vae' : 'texts'] += bytes
  }
  return sizes
}

/** Adds a component's file to the sizes. */
export function addPart(sizes: PartSizes, component: string, bytes: number): PartSizes {
  const part = component.startsWith('text_encoder') ? 'texts' : component === 'vae' ? 'vae' : 'transformer'
  return { ...sizes, [part]: sizes[part] + bytes }
}

/** Bits per weight of quantized transformer files. */
const quantizations = [
  ['Q8_0', 8.5],
  ['Q4_0', 4.5],
] as const

/**
 * The best quantization of a 16-bit transformer with which the model fits into `budget` bytes; null = none, or the file is already
 * quantized.
 */
export function findFittingTransformer(parts: PartSizes, budget: number): { readonly name: string; readonly bytes: number } | null {
  if (engineBytes + Math.max(parts.texts, parts.vae) > budget) return null
  for (const [name, bits] of quantizations) {
    const bytes = Math.ceil((parts.transformer * bits) / 16)
    if (engineBytes + bytes <= budget) return { name, bytes }
  }
  return null
}
