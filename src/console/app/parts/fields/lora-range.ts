import { largestLoraWeight } from '../../../../core/images/lora.ts'

/** Range of a LoRA's weight. */
export const loraRange = { min: -largestLoraWeight, max: largestLoraWeight, step: 0.05 } as const
