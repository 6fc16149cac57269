import type { CatalogEntry, CatalogFault } from './catalog-fault.ts'
import { isWeightFile } from './checkpoint/read-loose-files.ts'
import type { FaultyEntry, ReadEntries } from './read-entries.ts'

/** Finds faults between models. If two models have the same id, the later one is faulty, or the one with other faults. */
export function checkEntries(parts: readonly ReadEntries[]): readonly CatalogFault[] {
  const entries = parts.flatMap((part) => part.entries)
  const named = [
    ...entries.map(({ modelFile, descriptor: { id } }) => ({ modelFile, id })),
    ...parts.flatMap((part) => part.faulty),
    ...parts.flatMap((part) =>
      [...part.assets, ...part.unusable.filter(({ file }) => isWeightFile(file))].map(({ file, name }) => ({ modelFile: file, id: name })),
    ),
  ]
  return [...findClashes(named), ...findForbiddenNatives(entries)]
}

function findClashes(entries: readonly FaultyEntry[]): CatalogFault[] {
  const seen = new Map<string, string>()
  return entries.flatMap(({ modelFile, id }) => {
    const first = seen.get(id)
    seen.set(id, first ?? modelFile)
    if (first === undefined) return []
    return [{ file: modelFile, field: 'id', message: `${id} is already the id of ${first}; ${renaming(modelFile)}.` }]
  })
}

/** A single-file model is named after its file. */
function renaming(modelFile: string): string {
  return isWeightFile(modelFile) ? 'rename one of the two files' : 'choose another'
}

function findForbiddenNatives(entries: readonly CatalogEntry[]): CatalogFault[] {
  return entries.flatMap(({ modelFile, descriptor }) => {
    if (descriptor.kind !== 'image') return []
    const { native, sizes } = descriptor
    const allowed =
      sizes.type === 'list'
        ? sizes.sizes.some(({ width, height }) => width === native.width && height === native.height)
        : Math.min(native.width, native.height) >= sizes.min && Math.max(native.width, native.height) <= sizes.max
    return allowed ? [] : [{ file: modelFile, field: 'sizes', message: `must include the native size ${native.width} × ${native.height}.` }]
  })
}
