import type { Tensor } from 'onnxruntime-node'
import type { Conditioning, LatentSize } from './conditioning.ts'

/** One evaluation of a UNet, as what is added to it sees it. */
export interface UnetEvaluation {
  /** float32 [channels, height, width], scaled by the scheduler; the same for each of the batch. */
  readonly latents: Float32Array
  readonly size: LatentSize
  readonly timestep: number
  /** One for each of the batch. */
  readonly conditionings: readonly Conditioning[]
  /** How much of the drawing is done when this evaluation is, over 0 and up to 1. */
  readonly share: number
}

/** Inputs that a UNet takes besides those that every drawing has: LoRAs and ControlNets. */
export interface UnetAdditions {
  feeds(evaluation: UnetEvaluation): Promise<Readonly<Record<string, Tensor>>>
}
