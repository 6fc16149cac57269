import { t } from '../../../language/t.ts'
import type { Axis, Drawable } from './axis.ts'

/** An axis of words, each of which takes the place of the first one in a text. */
export function wordsAxis(
  head: Pick<Axis, 'name' | 'label' | 'example'>,
  field: 'prompt' | 'negativePrompt' | 'prompt2' | 'negativePrompt2',
  drawable: Drawable,
): Axis {
  return {
    ...head,
    read: (words) => {
      const [first = ''] = words
      if (!drawable[field].includes(first)) return t`The first must stand in the prompt; “${first}” does not.`
      return words.map((word) => ({ label: word, change: (drawn) => ({ [field]: drawn[field].replaceAll(first, () => word) }) }))
    },
  }
}
