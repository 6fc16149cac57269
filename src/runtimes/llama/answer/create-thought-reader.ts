import type { Begun, ThoughtFormat } from '../prompt/thought-format.ts'
import { ChannelThoughts } from './channel-thoughts.ts'
import { MarkedThoughts } from './marked-thoughts.ts'
import type { ThoughtReader } from './thought-reader.ts'

/**
 * What reads the thoughts of an answer; null = there are none.
 *
 * @param begun What the prompt has begun of the answer.
 * @param calls Whether calls may come.
 */
export function createThoughtReader(
  format: ThoughtFormat | null,
  { begun, calls }: { readonly begun: Begun; readonly calls: boolean },
): ThoughtReader | null {
  if (format === null) return null
  if (format.channels) return new ChannelThoughts({ answers: begun === 'answer', calls })
  return begun === 'answer' && format.answer.close === '' ? null : new MarkedThoughts(format, begun)
}
