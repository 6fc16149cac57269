import type { ComputeDevice } from '../../../../core/compute-device.ts'
import type { ConsoleModel } from '../../../contract/models.ts'
import { byteText } from '../../parts/byte-text.ts'

const processors = { cpu: 'the processor', cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal', webgpu: 'WebGPU' } as const

function deviceText({ backend, name, layers }: ComputeDevice): string {
  const device = name === null ? processors[backend] : `${name} (${processors[backend]})`
  return layers === undefined ? device : `${device}, ${layers.onDevice} of ${layers.total} layers; the rest on the processor`
}

/** What is worth knowing about a model, as terms and values. */
export function modelFacts(model: ConsoleModel): readonly (readonly [string, string])[] {
  const common = [
    ...(model.state.device === undefined ? [] : [['Runs on', deviceText(model.state.device)] as const]),
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
    ['Native size', `${model.native.width} × ${model.native.height}`],
    ['Defaults', `${model.defaults.steps} steps, ${model.defaults.sampler}`],
    ...common,
  ]
}
