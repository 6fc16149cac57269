import type { ComputeDevice } from '../../../../core/compute-device.ts'
import type { ConsoleModel } from '../../../contract/models.ts'
import { wholeText } from '../../language/formats.ts'
import { byteText } from '../../parts/byte-text.ts'
import { t } from './text.ts'

const processors = { cpu: t`the processor`, cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal', webgpu: 'WebGPU' } as const

function deviceText({ backend, name, layers }: ComputeDevice): string {
  const device = name === null ? processors[backend] : `${name} (${processors[backend]})`
  return layers === undefined ? device : t`${device}, ${layers.onDevice} of ${layers.total} layers; the rest on the processor`
}

/** What is worth knowing about a model, as terms and values. */
export function modelFacts(model: ConsoleModel): readonly (readonly [string, string])[] {
  const common = [
    ...(model.state.device === undefined ? [] : [[t`Runs on`, deviceText(model.state.device)] as const]),
    // A model of another server has no files here.
    [t`On disk`, model.bytes === 0 ? '–' : byteText(model.bytes)],
    [t`Licence`, model.license ?? t`not stated`],
  ] as const
  if (model.kind === 'text') {
    return [
      [t`Makes`, t`text`],
      [t`Context`, model.contextLength === null ? t`known once it is loaded` : t`${wholeText(model.contextLength)} tokens`],
      ...common,
    ]
  }
  return [
    [t`Makes`, t`images`],
    [t`Native size`, `${model.native.width} × ${model.native.height}`],
    [t`Defaults`, `${t.count(model.defaults.steps, { one: '# step', other: '# steps' })}, ${model.defaults.sampler}`],
    ...common,
  ]
}
