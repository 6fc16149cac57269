import { GuidedUnet } from '../unet/guided-unet.ts'
import type { NoisePredictor } from '../unet/noise-predictor.ts'
import { Unet } from '../unet/unet.ts'
import { type ControlSum, silence } from './control/controlnet.ts'
import { BranchedNetwork } from './lora/branched-network.ts'
import { changedBranches, mixLoras, type WeightedLora } from './lora/mix-loras.ts'
import { writeUnetGraph } from './networks/unet-graph.ts'
import { readUnetShape, type UnetShape } from './networks/unet-shape.ts'
import type { OpenNetwork } from './open-vae.ts'
import type { CheckpointParts } from './parts/checkpoint-parts.ts'

/** A UNet that takes LoRAs and ControlNets. */
export class AdaptableUnet implements AsyncDisposable {
  readonly shape: UnetShape
  readonly #parts: CheckpointParts
  readonly #branched: BranchedNetwork<GuidedUnet>

  constructor(parts: CheckpointParts, open: OpenNetwork) {
    const { unet: weights } = parts
    this.#parts = parts
    this.shape = readUnetShape(weights, parts.unetOptions)
    this.#branched = new BranchedNetwork(
      (branches) => open(weights, 'unet', (target) => writeUnetGraph(weights, this.shape, { target, branches, controlled: true })),
      (session) => new GuidedUnet(new Unet(session)),
    )
  }

  /** Number of skip connections that a ControlNet adds to. */
  get skips(): number {
    return countSkips(this.#parts)
  }

  /** The UNet with these LoRAs and the outputs of ControlNets. */
  async adapt(loras: readonly WeightedLora[], control: ControlSum | null): Promise<Pick<NoisePredictor, 'unet' | 'additions'>> {
    const wanted = changedBranches(loras, 'unet')
    const { model: unet, branches } = await this.#branched.with(wanted)
    const fixed = mixLoras(loras, { network: 'unet', weights: this.#parts.unet, branches })
    const silent = control === null ? silence(this.skips) : {}
    return { unet, additions: { feeds: async (evaluation) => ({ ...fixed, ...silent, ...(await control?.feeds(evaluation)) }) } }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#branched[Symbol.asyncDispose]()
  }
}

/** Number of skip connections of a UNet: one for its first convolution, and one for each block and each change of size on the way down. */
function countSkips({ unet }: CheckpointParts): number {
  const blocks = Array.from({ length: unet.count('down_blocks.') }, (_, i) => `down_blocks.${i}`)
  const samplers = blocks.filter((block) => unet.holds(`${block}.downsamplers.`)).length
  return 1 + samplers + blocks.reduce((sum, block) => sum + unet.count(`${block}.resnets.`), 0)
}
