import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TransformerFamily } from '../../core/checkpoint/checkpoint-family.ts'
import type { ComponentName, ModelFiles } from '../../core/checkpoint/model-files.ts'
import { lackingReason, type ModelPart, type PartSlot } from '../../core/checkpoint/model-parts.ts'
import { addPart } from '../../core/memory/image-parts.ts'
import type { ImageModelBounds, ImageModelDescriptor } from '../../core/model.ts'

/** A file with a component of a model. */
export interface FoundPart {
  readonly part: ModelPart
  /** Absolute path. */
  readonly path: string
  readonly bytes: number
  /** Width of a text encoder's hidden states, or channels of a VAE; null = unknown. */
  readonly width: number | null
  /** Layers of a CLIP; absent = another part, or unknown. */
  readonly layers?: number
  /** Whether a VAE has an encoder, needed to start from an image; absent = another part. */
  readonly encodes?: boolean
}

/** What the components of a model limit. */
interface PartLimits {
  /** Layers of the shorter CLIP; absent = unknown. */
  readonly layers?: number
  readonly encodes?: boolean
}

/** Sizes of the component files. */
type PartBytes = Readonly<Partial<Record<ComponentName, number>>>

/** Components found for a model, their sizes, and what they limit. */
export interface FoundParts extends PartLimits {
  readonly files: ModelFiles
  readonly sizes: PartBytes
}

/** A model file with missing components. */
export interface IncompleteModel {
  readonly family: TransformerFamily
  /** Absolute path of its file. */
  readonly path: string
  readonly lacks: readonly PartSlot[]
}

/**
 * Finds the missing components of a model: first in its own folder, and larger files, which are more precise, before smaller ones. A
 * tokenizer is only needed with its encoder.
 *
 * @returns The files and their sizes, or why the model cannot be used, completing a sentence that begins with its name.
 */
export async function findParts(
  { family, path, lacks }: IncompleteModel,
  parts: readonly FoundPart[],
): Promise<FoundParts | { readonly unusable: string }> {
  const files: Partial<Record<ComponentName, string>> = {}
  const sizes: Partial<Record<ComponentName, number>> = {}
  let limits: PartLimits = {}
  const missing = await findMissing(lacks, async (slot) => {
    const { part, component } = slot
    const found: ReturnType<typeof findFile> = isTokenizer(part)
      ? await findTokenizer(part, tokenizerPlaces(path, files))
      : findFile({ slot, family, model: path }, parts)
    if (found === null) return false
    files[component] = await realpath(found.path)
    sizes[component] = found.bytes
    const layers = Math.min(limits.layers ?? Number.POSITIVE_INFINITY, found.layers ?? Number.POSITIVE_INFINITY)
    limits = { ...limits, ...(Number.isFinite(layers) && { layers }), ...(found.encodes !== undefined && { encodes: found.encodes }) }
    return true
  })
  return missing.length > 0 ? { unusable: lackingReason(family, missing) } : { files, sizes, ...limits }
}

/** The parts of a model that are not there; an optional encoder is not missed, and without it neither is its tokenizer. */
export async function findMissing(
  lacks: readonly PartSlot[],
  isThere: (slot: PartSlot) => boolean | Promise<boolean>,
): Promise<readonly ModelPart[]> {
  const missing: ModelPart[] = []
  const left = new Set<ModelPart>()
  for (const slot of lacks) {
    const { part, optional, of } = slot
    if (of !== null && optional && left.has(of)) continue
    if (await isThere(slot)) continue
    left.add(part)
    if (!optional || of !== null) missing.push(part)
  }
  return missing
}

/** Whether a file is the part that a model lacks. */
export function fitsSlot({ part, width }: PartSlot, found: Pick<FoundPart, 'part' | 'path' | 'width'>, family: TransformerFamily): boolean {
  if (found.part !== part || (width !== undefined && found.width !== null && found.width !== width)) return false
  return part !== 'vae' || isNamedFor(family, found.path) !== false
}

/**
 * Whether a VAE's file is named for a family; null = its name says nothing. VAEs of 16 channels differ only in their numbers, and another
 * family's draws wrong colours.
 */
function isNamedFor(family: TransformerFamily, path: string): boolean | null {
  const name = basename(path)
  const isOfSd3 = /sd[-_ ]?3|stable-diffusion-3/iu.test(name)
  if (isOfSd3 || /^ae(?![a-z0-9])|flux|z[-_ ]?image/iu.test(name)) return isOfSd3 === (family === 'sd3')
  return null
}

/** Completes a model with its component files, except for its size. */
export function withParts<Model extends Pick<ImageModelDescriptor, 'checkpoint' | 'bounds'>>(
  descriptor: Model,
  { files, sizes, ...limits }: FoundParts,
): Model {
  const { checkpoint, bounds } = descriptor
  const parts = checkpoint?.parts && Object.entries(sizes).reduce((sum, [name, size]) => addPart(sum, name, size), checkpoint.parts)
  return {
    ...descriptor,
    ...(bounds && { bounds: withLimits(bounds, limits) }),
    ...(checkpoint && { checkpoint: { ...checkpoint, files, ...(parts && { parts }) } }),
  }
}

/** The bounds of a model with those of its components; one that skips no layers at all stays so. */
function withLimits(bounds: ImageModelBounds, { layers, encodes = true }: PartLimits): ImageModelBounds {
  const clipSkip = layers === undefined ? bounds.clipSkip : Math.min(bounds.clipSkip ?? Number.POSITIVE_INFINITY, Math.max(0, layers - 1))
  return { ...bounds, clipSkip, startsFromImage: bounds.startsFromImage && encodes }
}

function findFile(
  { slot, family, model }: { readonly slot: PartSlot; readonly family: TransformerFamily; readonly model: string },
  parts: readonly FoundPart[],
): Pick<FoundPart, 'path' | 'bytes' | 'layers' | 'encodes'> | null {
  const beside = ({ path }: FoundPart): number => (dirname(path) === dirname(model) ? 2 : 0)
  const named = ({ part, path }: FoundPart): number => (part === 'vae' && isNamedFor(family, path) === true ? 1 : 0)
  const rank = (found: FoundPart): number => beside(found) + named(found)
  const fitting = parts.filter((found) => fitsSlot(slot, found, family))
  return fitting.toSorted((a, b) => rank(b) - rank(a) || b.bytes - a.bytes || a.path.localeCompare(b.path))[0] ?? null
}

function isTokenizer(part: ModelPart): part is 'tokenizer-t5' | 'tokenizer-qwen3' {
  return part === 'tokenizer-t5' || part === 'tokenizer-qwen3'
}

/** Folders that may contain "tokenizers": those of the model and its components, and their parents. */
function tokenizerPlaces(model: string, files: ModelFiles): readonly string[] {
  const folders = [model, ...Object.values(files)].map((path) => dirname(path))
  return [...new Set([...folders, ...folders.map((folder) => dirname(folder))])]
}

async function findTokenizer(
  part: 'tokenizer-t5' | 'tokenizer-qwen3',
  places: readonly string[],
): Promise<{ readonly path: string; readonly bytes: number } | null> {
  const [name, files] = part === 'tokenizer-t5' ? ['t5', ['tokenizer.json', 'spiece.model']] : ['qwen3', ['tokenizer.json']]
  for (const place of places) {
    const path = join(place, 'tokenizers', name)
    for (const file of files) if ((await stat(join(path, file)).catch(() => null))?.isFile() === true) return { path, bytes: 0 }
  }
  return null
}
