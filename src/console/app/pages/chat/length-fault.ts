import { longestContent } from '../../../../core/chat/conversation.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'

/**
 * Why a text is too long to be stored, as a sentence, or null. A message that is sent but not stored would disappear with the next refresh.
 */
export function lengthFault(text: string): string | null {
  if (text.length <= longestContent) return null
  return t`This message has ${wholeText(text.length)} characters; at most ${wholeText(longestContent)} can be saved. Send it in parts.`
}
