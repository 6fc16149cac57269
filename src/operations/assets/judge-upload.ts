import type { ExaminedWeights } from '../../core/assets/asset.ts'
import type { FoundUpload, UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { familyNames } from '../../core/checkpoint/checkpoint-family.ts'
import { familyOf } from '../../core/model.ts'

/** Whether a file is the asset that was announced; a fault is a sentence. */
export function judgeUpload(
  { kind, family }: Pick<UploadedAsset, 'kind' | 'family'>,
  examined: ExaminedWeights,
): { readonly found: FoundUpload } | { readonly fault: string } {
  const fault = (text: string) => ({ fault: `The file ${text}.` })
  if (examined.kind === 'faulty' || examined.kind === 'unusable') return fault(examined.reason)
  if (examined.kind === 'upscaler') return fault('is an upscaler, which the operator must put into a models folder')
  if (examined.kind === 'transformer' || examined.kind === 'part')
    return fault('is a model of several parts, or one of them, which the operator must put into a models folder')
  const is = examined.kind === 'checkpoint' ? { kind: examined.kind, family: familyOf(examined.descriptor) } : examined.descriptor
  if (is.kind !== kind) return fault(`holds a ${is.kind}, not a ${kind}`)
  if (is.family !== null && is.family !== family) return fault(`is for ${familyNames[is.family]}, not for ${familyNames[family]}`)
  return { found: examined }
}
