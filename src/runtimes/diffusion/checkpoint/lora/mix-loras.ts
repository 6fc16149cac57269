import { Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../../core/error.ts'
import { floatAt } from '../../value-at.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { loraInputs } from './lora-branches.ts'
import type { LoraNetwork } from './lora-modules.ts'
import type { Lora, LoraModule } from './read-lora.ts'

/** A LoRA and how strongly it counts. */
export interface WeightedLora {
  readonly lora: Lora
  readonly weight: number
  /** For text encoders; absent = the same. */
  readonly textWeight?: number
}

/** The modules of a network that some LoRAs change. */
export function changedModules(loras: readonly WeightedLora[], network: LoraNetwork): ReadonlySet<string> {
  return new Set(loras.flatMap(({ lora }) => lora.modules.filter((module) => module.network === network).map(({ module }) => module)))
}

/**
 * The factors of every module that a graph has branches for: those of all LoRAs side by side, weight and scale in the second
 * factor. A module that none of them changes gets a rank of one and zeros.
 *
 * @throws {ServiceError} `unsupported` when a factor's size does not fit the module.
 */
export function mixLoras(
  loras: readonly WeightedLora[],
  { network, weights, modules }: { readonly network: LoraNetwork; readonly weights: WeightTable; readonly modules: ReadonlySet<string> },
): Readonly<Record<string, Tensor>> {
  const byModule = Map.groupBy(
    loras.flatMap(({ lora, weight, textWeight = weight }) => {
      const counted = network === 'unet' ? weight : textWeight
      return lora.modules.filter((each) => each.network === network).map((each) => ({ each, weight: counted }))
    }),
    ({ each }) => each.module,
  )
  const feeds: Record<string, Tensor> = {}
  for (const module of modules) {
    const [outputs = 0, ...inner] = weights.get(`${module}.weight`).shape
    const isLinear = inner.slice(1).every((size) => size === 1)
    const inputs = inner.reduce((product, size) => product * size, 1)
    const { down, up, rank } = mixModule(byModule.get(module) ?? [], { module, inputs, outputs })
    const names = loraInputs(module)
    const asConvolution = inner.length > 1 && !(isLinear && takesRows(module))
    feeds[names.down] = new Tensor('float32', down, asConvolution ? [rank, ...inner] : [rank, inputs])
    feeds[names.up] = new Tensor('float32', up, asConvolution ? [outputs, rank, 1, 1] : [outputs, rank])
  }
  return feeds
}

/** Whether a 1 × 1 convolution is computed as a linear layer over rows: those around attention are. */
function takesRows(module: string): boolean {
  return /\.proj_(?:in|out)$/u.test(module)
}

function mixModule(
  parts: readonly { readonly each: LoraModule; readonly weight: number }[],
  { module, inputs, outputs }: { readonly module: string; readonly inputs: number; readonly outputs: number },
): { readonly down: Float32Array; readonly up: Float32Array; readonly rank: number } {
  const rank = Math.max(
    1,
    parts.reduce((sum, { each }) => sum + each.rank, 0),
  )
  const down = new Float32Array(rank * inputs)
  const up = new Float32Array(outputs * rank)
  let at = 0
  for (const { each, weight } of parts) {
    if (each.down.length !== each.rank * inputs || each.up.length !== outputs * each.rank)
      throw new ServiceError('unsupported', `A LoRA's factors for "${module}" have other sizes than the model; it is for another family.`, {
        param: 'loras',
      })
    down.set(each.down, at * inputs)
    for (let row = 0; row < outputs; row++)
      for (let column = 0; column < each.rank; column++)
        up[row * rank + at + column] = floatAt(each.up, row * each.rank + column) * each.scale * weight
    at += each.rank
  }
  return { down, up, rank }
}
