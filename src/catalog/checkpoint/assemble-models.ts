import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TransformerFamily } from '../../core/checkpoint/checkpoint-family.ts'
import type { ComponentName, ModelFiles } from '../../core/checkpoint/model-files.ts'
import { lackingReason, type ModelPart, type PartSlot } from '../../core/checkpoint/model-parts.ts'
import { addPart } from '../../core/memory/image-parts.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'

/** A file with a component of a model. */
export interface FoundPart {
  readonly part: ModelPart
  /** Absolute path. */
  readonly path: string
  readonly bytes: number
  /** Width of a text encoder's hidden states, or channels of a VAE; null = unknown. */
  readonly width: number | null
}

/** Sizes of the component files. */
type PartBytes = Readonly<Partial<Record<ComponentName, number>>>

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
): Promise<{ readonly files: ModelFiles; readonly sizes: PartBytes } | { readonly unusable: string }> {
  const files: Partial<Record<ComponentName, string>> = {}
  const sizes: Partial<Record<ComponentName, number>> = {}
  const missing = await findMissing(lacks, async (slot) => {
    const { part, component } = slot
    const found = isTokenizer(part) ? await findTokenizer(part, tokenizerPlaces(path, files)) : findFile(slot, parts, path)
    if (found === null) return false
    files[component] = await realpath(found.path)
    sizes[component] = found.bytes
    return true
  })
  return missing.length > 0 ? { unusable: lackingReason(family, missing) } : { files, sizes }
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
export function fitsSlot({ part, width }: PartSlot, found: Pick<FoundPart, 'part' | 'width'>): boolean {
  return found.part === part && (width === undefined || found.width === null || found.width === width)
}

/** Completes a model with its component files. */
export function withParts(
  descriptor: ImageModelDescriptor,
  { files, sizes }: { readonly files: ModelFiles; readonly sizes: PartBytes },
): ImageModelDescriptor {
  const { checkpoint } = descriptor
  const bytes = Object.values(sizes).reduce((sum, size) => sum + size, descriptor.bytes)
  const parts = checkpoint?.parts && Object.entries(sizes).reduce((sum, [name, size]) => addPart(sum, name, size), checkpoint.parts)
  return { ...descriptor, bytes, ...(checkpoint && { checkpoint: { ...checkpoint, files, ...(parts && { parts }) } }) }
}

function findFile(slot: PartSlot, parts: readonly FoundPart[], model: string): { readonly path: string; readonly bytes: number } | null {
  const beside = (path: string): number => (dirname(path) === dirname(model) ? 1 : 0)
  const fitting = parts.filter((found) => fitsSlot(slot, found))
  return fitting.toSorted((a, b) => beside(b.path) - beside(a.path) || b.bytes - a.bytes || a.path.localeCompare(b.path))[0] ?? null
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
