import type { FieldFault } from '../../../core/error.ts'
import { findExcessiveWeight, largestPromptWeight } from '../../../core/prompt-weights.ts'
import type { ImageBody } from './image-fields.ts'

const fields = ['prompt', 'prompt_2', 'negative_prompt', 'negative_prompt_2'] as const

/** Names the prompts in which a piece weighs more than the engine can compute with: brackets multiply, so deeply nested ones do. */
export function findPromptWeightFaults(body: ImageBody): readonly FieldFault[] {
  return fields.flatMap((field) => {
    const weight = findExcessiveWeight(body[field] ?? '')
    if (weight === undefined) return []
    const message = `\`${field}\` gives a part the weight ${weight.toPrecision(3)}: use fewer brackets or smaller numbers, for weights of at most ${largestPromptWeight}.`
    return [{ path: [field], message, kind: 'range' }]
  })
}
