import type { FieldFault } from '../../../core/error.ts'
import { findRefusedWeight, largestPromptWeight, mostBreaks, readPromptWeights } from '../../../core/images/prompt-weights.ts'
import type { ImageBody } from './image-fields.ts'

const fields = ['prompt', 'prompt_2', 'negative_prompt', 'negative_prompt_2'] as const

/**
 * Names the prompts in which a piece has a weight that no engine draws well: less than nothing, or more than numbers bear
 * (brackets multiply, so deeply nested ones do), and those that are cut into too many pieces.
 */
export function findPromptWeightFaults(body: ImageBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (field: string, text: string) => faults.push({ path: [field], message: `\`${field}\` ${text}`, kind: 'range' })
  for (const field of fields) {
    const text = body[field] ?? ''
    const weight = findRefusedWeight(text)
    if (weight !== undefined) {
      const remedy = weight < 0 ? 'name what you do not want in `negative_prompt`' : 'use fewer brackets or smaller numbers'
      add(field, `gives a part the weight ${weight.toPrecision(3)}: ${remedy}, for weights from 0 to ${largestPromptWeight}.`)
    }
    const breaks = readPromptWeights(text).filter(({ apart }) => apart).length
    if (breaks > mostBreaks) add(field, `has BREAK ${breaks} times: use it at most ${mostBreaks} times.`)
  }
  return faults
}
