import type { Turn } from '../../../../../core/chat/conversation.ts'
import { wholeText } from '../../../language/formats.ts'
import { t } from '../../../language/t.ts'
import { durationText } from '../../../parts/duration-text.ts'

/** Faster answers arrived in one piece, so their speed is meaningless. */
const measurableMs = 5
const endings = { writing: '', done: '', stopped: t`stopped by you`, cut: t`reached the maximum length`, failed: '' } as const

/** How an answer ended unless it is complete; otherwise empty. */
export function endingOf({ state }: Turn): string {
  return endings[state]
}

/** Whether a user wrote the answer instead of a model. */
export function isByHand({ role, model }: Pick<Turn, 'role' | 'model'>): boolean {
  return role === 'assistant' && model === null
}

/** Facts about an answer: its author unless it is a model, its end, and its cost. */
export function answerFacts(turn: Turn): readonly string[] {
  return [isByHand(turn) ? t`changed by you` : '', endingOf(turn), ...(turn.facts === null ? [] : factTexts(turn.facts))].filter(
    (text) => text !== '',
  )
}

function factTexts({ promptTokens, completionTokens, firstTextMs, writingMs }: NonNullable<Turn['facts']>): readonly string[] {
  const speed =
    completionTokens > 1 && writingMs >= measurableMs
      ? [t.count(Math.round(((completionTokens - 1) / writingMs) * 1000), { one: '# token/s', other: '# tokens/s' })]
      : []
  return [
    t`${wholeText(promptTokens)} tokens in`,
    t`${wholeText(completionTokens)} out`,
    ...speed,
    t`began after ${durationText(Math.max(0, firstTextMs))}`,
  ]
}
