import type { ConsoleModel } from '../../../contract/models.ts'
import { byteText } from '../../parts/byte-text.ts'

/** What is worth knowing about a model, as terms and values. */
export function modelFacts(model: ConsoleModel): readonly (readonly [string, string])[] {
  const common = [
    ['On disk', byteText(model.bytes)],
    ['Licence', model.license ?? 'not stated'],
  ] as const
  if (model.kind === 'text') {
    return [
      ['Makes', 'text'],
      ['Context', model.contextLength === null ? 'known once it is loaded' : `${model.contextLength} tokens`],
      ...common,
    ]
  }
  return [
    ['Makes', 'images'],
    ['Own size', `${model.native.width} × ${model.native.height}`],
    ['Unless told', `${model.defaults.steps} steps, ${model.defaults.sampler}`],
    ...common,
  ]
}
