import type { ListedConversation } from '../../../../core/chat/conversation.ts'
import { monthText, weekdayText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'

/** The conversations of one period, and its name. */
export interface ConversationGroup {
  readonly title: string
  readonly conversations: readonly ListedConversation[]
}

/** Days listed by weekday; older ones are listed by month. */
const daysOfWeek = 7

/** Groups conversations in order by the day of their last change, in the browser's time zone; pinned ones come first. */
export function groupByDay(conversations: readonly ListedConversation[], now: number): readonly ConversationGroup[] {
  const groups = Map.groupBy(conversations, ({ pinned, changedAt }) => (pinned ? t`Pinned` : dayName(changedAt, now)))
  return [...groups].map(([title, own]) => ({ title, conversations: own }))
}

function dayName(at: number, now: number): string {
  const days = dayNumber(now) - dayNumber(at)
  if (days <= 0) return t`Today`
  if (days === 1) return t`Yesterday`
  return days < daysOfWeek ? weekdayText(at) : monthText(at)
}

/** The number of a day in the browser's time zone, whatever its length. */
function dayNumber(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / (24 * 60 * 60 * 1000)
}
