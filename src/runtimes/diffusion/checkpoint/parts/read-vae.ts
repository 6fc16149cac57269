import { detectSafetensorsKind, vaePrefix } from '../../../../core/checkpoint/safetensors-kind.ts'
import { ServiceError } from '../../../../core/error.ts'
import { renewVaeName } from '../names/vae-names.ts'
import { namedTable, originalVae } from '../weights/original-tables.ts'
import { readWeightFile } from '../weights/weight-file.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** Reads a VAE's file of either layout, or the VAE of a whole checkpoint. @throws {ServiceError} `unsupported` when it holds none. */
export async function readVae(path: string): Promise<WeightTable> {
  const file = await readWeightFile(path)
  const found = detectSafetensorsKind(file)
  if (found.kind === 'checkpoint') return originalVae(file, vaePrefix)
  if (found.kind !== 'vae') throw new ServiceError('unsupported', `${file.name} holds no VAE.`, { param: 'vae' })
  return found.layout === 'original' ? originalVae(file, found.prefix) : namedTable(file, found.prefix, renewVaeName)
}
