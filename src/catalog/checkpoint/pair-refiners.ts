import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { CatalogEntry } from '../catalog-fault.ts'

/**
 * Assigns to SDXL checkpoints the refiner beside them with a matching name: `sd_xl_refiner_1.0` beside `sd_xl_base_1.0`, or `mine-refiner`
 * beside `mine`. A refiner set in `model.json` takes precedence. The refiner's memory counts for its model.
 */
export async function pairRefiners(entries: readonly CatalogEntry[]): Promise<readonly CatalogEntry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const { descriptor } = entry
      if (descriptor.kind !== 'image' || descriptor.checkpoint?.family !== 'sdxl') return entry
      const refiner = descriptor.refiner ?? findRefiner(entry, entries)
      if (refiner === null) return entry
      return { ...entry, descriptor: { ...descriptor, refiner, bytes: descriptor.bytes + (await weightBytes(refiner)) } }
    }),
  )
}

function findRefiner({ source, descriptor: { id } }: CatalogEntry, entries: readonly CatalogEntry[]): string | null {
  const names = [id.replaceAll(/base/giu, 'refiner'), `${id}-refiner`, `${id}_refiner`].map((name) => name.toLowerCase())
  const found = entries.find(({ descriptor, ...beside }) => {
    return beside.source === source && isRefiner(descriptor) && names.includes(descriptor.id.toLowerCase())
  })?.descriptor
  return found?.kind === 'image' ? (found.checkpoint?.weights ?? null) : null
}

function isRefiner(descriptor: CatalogEntry['descriptor']): descriptor is ImageModelDescriptor {
  return descriptor.kind === 'image' && descriptor.checkpoint?.family === 'sdxl-refiner'
}

/** Size of a checkpoint's file, or of the weights in its folder. */
async function weightBytes(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null)
  if (stats === null || stats.isFile()) return stats?.size ?? 0
  const names = (await readdir(path, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.safetensors'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(path, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
