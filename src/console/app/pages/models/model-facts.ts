import type { ComputeDevice } from '../../../../core/compute-device.ts'
import type { ConsoleModel, ConsoleTextModel } from '../../../contract/models.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'

const processors = { cpu: t`the processor`, cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal', webgpu: 'WebGPU' } as const

function deviceText({ backend, name, layers }: ComputeDevice): string {
  const device = name === null ? processors[backend] : `${name} (${processors[backend]})`
  return layers === undefined ? device : t`${device}, ${layers.onDevice} of ${layers.total} layers; the rest on the processor`
}

/** Whether a model runs on another server: it has no files here. */
export function runsElsewhere({ bytes }: Pick<ConsoleModel, 'bytes'>): boolean {
  return bytes === 0
}

function contextText({ contextLength, state, ...model }: ConsoleTextModel): string {
  if (contextLength !== null) return t`${wholeText(contextLength)} tokens`
  if (!runsElsewhere(model)) return t`known after loading`
  return state.state === 'loaded' ? t`not reported by its server` : t`known after the first request`
}

function producedText({ generates, embeddings }: ConsoleTextModel): string {
  if (generates) return t`text`
  return embeddings ? t`embeddings` : t`rankings`
}

/** Facts about a model, as terms and values. */
export function modelFacts(model: ConsoleModel): readonly (readonly [string, string])[] {
  const common = [
    ...(model.state.device === undefined ? [] : [[t`Runs on`, deviceText(model.state.device)] as const]),
    [t`On disk`, runsElsewhere(model) ? '–' : byteText(model.bytes)],
    [t`Licence`, model.license ?? t`not stated`],
  ] as const
  if (model.kind === 'text') {
    return [[t`Produces`, producedText(model)], [t`Context`, contextText(model)], ...common]
  }
  return [
    [t`Produces`, t`images`],
    [t`Native size`, `${model.native.width} × ${model.native.height}`],
    [t`Defaults`, `${t.count(model.defaults.steps, { one: '# step', other: '# steps' })}, ${model.defaults.sampler}`],
    ...common,
  ]
}
