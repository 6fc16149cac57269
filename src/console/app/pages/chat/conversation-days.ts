import type { ListedConversation } from '../../../../core/chat/conversation.ts'
import { monthText, weekdayText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'

/** Conversations of one stretch of time, under its name. */
export interface ConversationGroup {
  readonly title: string
  readonly conversations: readonly ListedConversation[]
}

/** Weekdays name the days of this many days; months those before. */
const daysOfWeek = 7

/** The conversations in their order under the days on which they last changed, as the browser's clock has them; pinned ones come first. */
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

/** Counts the days of the browser's own time zone, whatever hours they have. */
function dayNumber(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / (24 * 60 * 60 * 1000)
}
