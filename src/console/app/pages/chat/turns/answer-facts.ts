import type { Turn } from '../../../../../core/chat/conversation.ts'
import { durationText } from '../../../parts/duration-text.ts'

/** What arrives faster than this came in one piece, which says nothing about the speed. */
const measurableMs = 5
const endings = { writing: '', done: '', stopped: 'stopped by you', cut: 'reached the token limit', failed: '' } as const

/** How an answer ended, and what it took. */
export function answerFacts({ state, facts }: Turn): readonly string[] {
  return [endings[state], ...(facts === null ? [] : factTexts(facts))].filter((text) => text !== '')
}

function factTexts({ promptTokens, completionTokens, firstTextMs, writingMs }: NonNullable<Turn['facts']>): readonly string[] {
  const speed =
    completionTokens > 1 && writingMs >= measurableMs ? [`${Math.round(((completionTokens - 1) / writingMs) * 1000)} tokens/s`] : []
  return [
    `${promptTokens} tokens read`,
    `${completionTokens} written`,
    ...speed,
    `first text after ${durationText(Math.max(0, firstTextMs))}`,
  ]
}
