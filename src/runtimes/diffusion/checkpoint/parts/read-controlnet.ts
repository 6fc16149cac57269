import { detectSafetensorsKind } from '../../../../core/checkpoint/safetensors-kind.ts'
import { ServiceError } from '../../../../core/error.ts'
import { namedTable, originalControlnet } from '../weights/original-tables.ts'
import { readWeightFile } from '../weights/weight-file.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** Reads a ControlNet's file. @throws {ServiceError} `unsupported` when it holds none. */
export async function readControlnet(path: string): Promise<WeightTable> {
  const file = await readWeightFile(path)
  const found = detectSafetensorsKind(file)
  if (found.kind !== 'controlnet') {
    const reason = found.kind === 'unknown' ? found.reason : `is a ${found.kind}, not a ControlNet`
    throw new ServiceError('unsupported', `${file.name} ${reason}.`, { param: 'controlnet' })
  }
  if (found.layout === 'diffusers') return namedTable(file, '')
  const isPrefixed = [...file.tensors.keys()].some((name) => name.startsWith('control_model.'))
  return originalControlnet(file, isPrefixed ? 'control_model.' : '')
}
