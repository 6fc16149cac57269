import type { ThoughtFormat } from '../prompt/thought-format.ts'
import { ChannelThoughts } from './channel-thoughts.ts'
import { MarkedThoughts } from './marked-thoughts.ts'
import type { ThoughtReader } from './thought-reader.ts'

/**
 * What reads the thoughts of an answer; null = there are none.
 *
 * @param opened Whether the prompt has begun them.
 * @param continued Whether the prompt has begun the answer itself.
 * @param calls Whether calls may come.
 */
export function createThoughtReader(
  format: ThoughtFormat | null,
  { opened, continued, calls }: { readonly opened: boolean; readonly continued: boolean; readonly calls: boolean },
): ThoughtReader | null {
  if (format === null) return null
  if (format.channels) return new ChannelThoughts({ answers: continued, calls })
  return continued ? null : new MarkedThoughts(format, opened)
}
