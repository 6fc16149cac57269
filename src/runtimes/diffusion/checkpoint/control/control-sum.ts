import { Tensor } from 'onnxruntime-node'
import type { UnetAdditions, UnetEvaluation } from '../../unet/unet-additions.ts'
import type { UsedControlnet } from '../../used-assets.ts'
import { floatAt } from '../../value-at.ts'
import { controlInputs, silence } from './control-inputs.ts'
import type { Controlnet } from './controlnet.ts'

/** A ControlNet in memory and what it is shown. */
export type RunningControlnet = Omit<UsedControlnet, 'file'> & { readonly controlnet: Controlnet }

/** What several ControlNets say together. */
export class ControlSum implements UnetAdditions {
  readonly #controlnets: readonly RunningControlnet[]
  readonly #skips: number

  constructor(controlnets: readonly RunningControlnet[], skips: number) {
    this.#controlnets = controlnets
    this.#skips = skips
  }

  async feeds(evaluation: UnetEvaluation): Promise<Readonly<Record<string, Tensor>>> {
    const names = controlInputs(this.#skips)
    const sums = new Map<string, { readonly values: Float32Array; readonly dims: readonly number[] }>()
    for (const { controlnet, picture, scale, until } of this.#controlnets) {
      if (evaluation.share > until) continue
      const said = await controlnet.run(evaluation, { picture, scale, names })
      for (const [i, name] of names.entries()) {
        const { values, dims } = said[i] ?? { values: new Float32Array(1), dims: [1, 1, 1, 1] }
        const before = sums.get(name)
        sums.set(name, { dims, values: before === undefined ? values : values.map((value, at) => value + floatAt(before.values, at)) })
      }
    }
    if (sums.size === 0) return silence(this.#skips)
    return Object.fromEntries([...sums].map(([name, { values, dims }]) => [name, new Tensor('float32', values, dims)]))
  }
}
