import { unusableModel } from '../../onnx/model-file.ts'
import type { StoredModule } from '../names/transformer-names.ts'
import { type StoredWeight, sliceRows, WeightTable } from './weight-table.ts'

/** A network's weights by the names of the modules that its stored ones are parted into. Other tensors are left out, or rejected inside a block. */
export function partTable(table: WeightTable, modules: readonly StoredModule[]): WeightTable {
  const byName = new Map(modules.map((module) => [module.stored, module]))
  const blocks = new Set(modules.map(({ stored }) => /^\w+\.(?=\d+\.)/u.exec(stored)?.[0]))
  const weights = new Map<string, StoredWeight>()
  for (const name of table.names()) {
    const dot = byName.has(name) ? name.length : name.lastIndexOf('.')
    const module = byName.get(name.slice(0, dot))
    if (module === undefined) {
      if (blocks.has(name.slice(0, name.indexOf('.') + 1)))
        throw unusableModel(table.label, `holds a tensor "${name}" that Sepia does not know`)
      continue
    }
    const { parts, shares } = module
    const slices = partRows(table, name, shares ?? parts.map(() => 1))
    for (const [i, part] of parts.entries()) {
      const slice = slices[i]
      if (slice !== undefined) weights.set(part + name.slice(dot), slice)
    }
  }
  return new WeightTable(table.folder, table.label, weights)
}

/** The rows of a tensor in parts; a number that counts for all rows is given to each. */
export function partRows(table: WeightTable, name: string, shares: readonly number[]): readonly StoredWeight[] {
  const weight = table.get(name)
  const [rows = 1] = weight.shape
  if (shares.length === 1 || weight.shape.length === 0) return shares.map(() => weight)
  const all = shares.reduce((sum, share) => sum + share, 0)
  if (rows % all !== 0) throw unusableModel(table.label, `has a tensor "${name}" that cannot be split into ${all}`)
  let first = 0
  return shares.map((share) => {
    const count = (rows / all) * share
    first += count
    return sliceRows(weight, first - count, count)
  })
}
