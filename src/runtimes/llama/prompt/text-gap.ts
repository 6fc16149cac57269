import { ServiceError } from '../../../core/error.ts'
import type { TextGap } from '../../../core/text-generation.ts'
import type { GapTokens } from '../binding/vocabulary.ts'

/**
 * The marks and texts of which a text with a gap is made, as llama.cpp's server lays them out: other files, what stands before the gap, what stands behind it, and the mark after which
 * the model fills it.
 *
 * @throws {ServiceError} `unsupported_parameter` when the model was not made for it.
 */
export function layOutGap(gap: GapTokens | null, before: string, { suffix, files }: TextGap): readonly (number | string)[] {
  if (gap === null)
    throw new ServiceError(
      'unsupported_parameter',
      'This model has no fill-in-the-middle tokens; use one that has, such as a code model.',
      {
        param: 'model',
      },
    )
  const known = files.flatMap(({ name, text }) => [...mark(gap.file), gap.file === null ? `\n\n--- ${name} ---\n\n` : `${name}\n`, text])
  return [
    ...(gap.repository === null ? [] : [...mark(gap.repository), 'repository\n']),
    ...known,
    ...(gap.file === null ? [] : [...mark(gap.file), 'filename\n']),
    ...mark(gap.prefix),
    before,
    ...mark(gap.suffix),
    suffix,
    ...mark(gap.middle),
  ]
}

function mark(token: number | null): readonly number[] {
  return token === null ? [] : [token]
}
