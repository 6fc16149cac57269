import { ServiceError } from '../../../core/error.ts'
import type { TextGap } from '../../../core/text-generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'

/**
 * The tokens of a text with a gap, as llama.cpp's server lays them out: other files, what stands before the gap, what stands behind it, and the mark after which
 * the model fills it.
 *
 * @throws {ServiceError} `unsupported_parameter` when the model was not made for it.
 */
export function tokenizeGap(vocabulary: Vocabulary, before: string, { suffix, files }: TextGap): readonly Uint32Array[] {
  const { gap } = vocabulary
  if (gap === null)
    throw new ServiceError(
      'unsupported_parameter',
      'This model fills no gaps: its file names no tokens for them; name one that was made for code.',
      {
        param: 'model',
      },
    )
  const plain = (text: string): Uint32Array => vocabulary.tokenize(text, { special: false })
  const known = files.flatMap(({ name, text }) => [
    ...mark(gap.file),
    plain(gap.file === null ? `\n\n--- ${name} ---\n\n` : `${name}\n`),
    plain(text),
  ])
  return [
    ...(gap.repository === null ? [] : [...mark(gap.repository), plain('repository\n')]),
    ...known,
    ...(gap.file === null ? [] : [...mark(gap.file), plain('filename\n')]),
    ...mark(gap.prefix),
    plain(before),
    ...mark(gap.suffix),
    plain(suffix),
    ...mark(gap.middle),
  ]
}

function mark(token: number | null): readonly Uint32Array[] {
  return token === null ? [] : [Uint32Array.of(token)]
}
