import { detectSafetensorsKind } from '../../core/checkpoint/checkpoint-family.ts'
import { countTextLayers } from '../../core/checkpoint/text-layers.ts'
import type { CatalogFault } from '../catalog-fault.ts'
import { describeCheckpoint } from './describe-checkpoint.ts'
import { readWeightsHeader } from './weights-header.ts'

/** Describes a checkpoint in one file that a `model.json` names. */
export async function describeSingleFile(
  path: string,
  name: string,
): Promise<Awaited<ReturnType<typeof describeCheckpoint>> | { readonly fault: CatalogFault }> {
  const fault = (message: string) => ({ fault: { file: path, field: '', message } })
  const header = await readWeightsHeader(path).catch(() => ({ fault: 'cannot be read' }))
  if ('fault' in header) return fault(`${header.fault}; copy it again.`)
  const found = detectSafetensorsKind(header)
  if (found.kind === 'unknown') return fault(`${found.reason}.`)
  if (found.kind !== 'checkpoint') return fault(`is a ${found.kind}, not a checkpoint; put it into the folder above, without a model.json.`)
  return describeCheckpoint({ ...found, layers: countTextLayers(header) }, { weights: path, name: `${name} ${path}` })
}
