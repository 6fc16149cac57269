import { TorchGenerator } from '../../../src/runtimes/diffusion/noise/torch-generator.ts'
import { type NamedTensor, safetensorsFile } from './safetensors-file.ts'

/** Which miniature ESRGAN network a file holds. */
export interface EsrganMake {
  readonly naming: 'old' | 'new'
  readonly prefix: string
  readonly blocks: number
  readonly doublings: number
  readonly gathered: number
}

const features = 8
const growth = 4

/** The tensors of a miniature network by the new naming: the same random numbers for the same make. */
export function esrganTensors({ blocks, doublings, gathered }: EsrganMake): readonly NamedTensor[] {
  const generator = new TorchGenerator(7)
  const convolution = (name: string, outputs: number, inputs: number, offset = 0): readonly NamedTensor[] => {
    const scale = 1 / Math.sqrt(inputs * 9)
    const weights = generator.normal(outputs * inputs * 9).map((value) => value * scale)
    return [
      { name: `${name}.weight`, shape: [outputs, inputs, 3, 3], values: weights },
      { name: `${name}.bias`, shape: [outputs], values: generator.normal(outputs).map((value) => value * 0.1 + offset) },
    ]
  }
  const trunk = Array.from({ length: blocks * 15 }, (_, i) => {
    const [block, dense, layer] = [Math.floor(i / 15), Math.floor(i / 5) % 3, i % 5]
    return convolution(`body.${block}.rdb${dense + 1}.conv${layer + 1}`, layer === 4 ? features : growth, features + layer * growth)
  })
  return [
    ...convolution('conv_first', features, 3 * gathered * gathered),
    ...trunk.flat(),
    ...convolution('conv_body', features, features),
    ...Array.from({ length: doublings }, (_, i) => convolution(`conv_up${i + 1}`, features, features)).flat(),
    ...convolution('conv_hr', features, features),
    ...convolution('conv_last', 3, features, 0.5),
  ]
}

/** The bytes of its safetensors file. */
export function esrganFile(make: EsrganMake): Uint8Array {
  return safetensorsFile(
    esrganTensors(make).map((tensor) => ({
      ...tensor,
      name: make.prefix + (make.naming === 'new' ? tensor.name : oldName(tensor.name, make)),
    })),
  )
}

/** As ESRGAN's first release names modules: by their places in a sequence. */
function oldName(name: string, { blocks, doublings }: EsrganMake): string {
  const trunk = /^body\.(\d+)\.rdb(\d)\.conv(\d)\.(.*)$/u.exec(name)
  if (trunk !== null) return `model.1.sub.${trunk[1]}.RDB${trunk[2]}.conv${trunk[3]}.0.${trunk[4]}`
  const up = /^conv_up(\d)\.(.*)$/u.exec(name)
  if (up !== null) return `model.${3 * Number(up[1])}.${up[2]}`
  const last = 3 * doublings + 2
  return name
    .replace('conv_first', 'model.0')
    .replace('conv_body', `model.1.sub.${blocks}`)
    .replace('conv_hr', `model.${last}`)
    .replace('conv_last', `model.${last + 2}`)
}
