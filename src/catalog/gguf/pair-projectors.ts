import { basename, dirname } from 'node:path'
import type { TextModelDescriptor } from '../../core/model.ts'
import type { CatalogEntry } from '../catalog-fault.ts'
import { weightName } from '../checkpoint/read-loose-files.ts'
import { chooseProjector, quantizationOf } from '../hub/choose-gguf.ts'
import type { FoundProjector } from './read-loose-gguf.ts'

/**
 * Assigns to each loose language model the mmproj file beside it: the one with a matching name, or any if the folder contains only one
 * model.
 */
export function pairProjectors(entries: readonly CatalogEntry[], projectors: readonly FoundProjector[]): readonly CatalogEntry[] {
  const isLoose = ({ descriptor, modelFile }: CatalogEntry): boolean => descriptor.kind === 'text' && descriptor.file === modelFile
  const folders = Map.groupBy(entries.filter(isLoose), ({ modelFile }) => dirname(modelFile))
  return entries.map((entry) => {
    const { descriptor, modelFile } = entry
    const neighbours = folders.get(dirname(modelFile)) ?? []
    if (descriptor.kind !== 'text' || !isLoose(entry)) return entry
    const beside = projectors.filter(({ path }) => dirname(path) === dirname(modelFile))
    const own = beside.filter(({ path }) => bareName(path) === bareName(modelFile))
    const isOnlyModel = new Set(neighbours.map((each) => bareName(each.modelFile))).size === 1
    const fitting = own.length > 0 || !isOnlyModel ? own : beside
    const found = chooseProjector(fitting.filter(({ facts }) => !('fault' in facts))) ?? chooseProjector(fitting)
    return found === null ? entry : { ...entry, descriptor: { ...descriptor, ...seeWith(found, descriptor.bytes) } }
  })
}

/** The vision fields of a model with a projector, or why it cannot be used. */
function seeWith({ path, bytes, facts }: FoundProjector, modelBytes: number): Partial<TextModelDescriptor> {
  if ('fault' in facts) return { blindness: blindnessOf(path, facts.fault) }
  return { vision: true, projector: path, bytes: modelBytes + bytes }
}

/** Why a model cannot read pictures: the fault of its mmproj file, as the end of a sentence. */
export function blindnessOf(path: string, fault: string): string {
  return `its mmproj file (${basename(path)}) ${fault}`
}

/** A model's name without the suffixes of its files. */
function bareName(path: string): string {
  const name = weightName(path).replace(/mmproj/i, '')
  const quantization = quantizationOf(name)
  const bare = quantization === null ? name : name.replace(new RegExp(`${quantization}$`, 'i'), '')
  return bare.toLowerCase().replace(/[^a-z0-9]/g, '')
}
