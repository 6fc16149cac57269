import { keepConversation } from '../../../src/operations/conversations/keep-conversation.ts'
import type { AnswerEnding } from '../../../src/operations/conversations/kept-answers.ts'
import { openConversation } from '../../../src/operations/conversations/open-conversation.ts'
import { createTestClock } from '../test-clock.ts'
import { createMemoryStore } from './create-memory-store.ts'

export const options = { signal: new AbortController().signal }
/** A conversation with one answer, `a`. */
export const target = { accountId: 'ada', id: 'c' }
const place = { conversation: 'c', turn: 'a', parent: 'q' }
const usage = { promptTokens: 3, completionTokens: 2, cachedTokens: 0 }

/** The answer `a` of a request. */
export function answerOf(id: string) {
  return { inference: { id, accountId: 'ada', model: 'm', createdAt: 0 }, place }
}

/** The end of a request that has written a text. */
export const succeeded = (text: string, reason: 'stop' | 'length' = 'stop'): AnswerEnding => ({
  outcome: 'succeeded',
  error: null,
  written: {
    firstAt: 10,
    lastAt: 30,
    parts: [
      { type: 'text', choice: 0, text },
      { type: 'choice-finish', choice: 0, reason },
      { type: 'finish', usage },
    ],
  },
})

/** An empty conversation, and the parts that store its answers. */
export async function createParts() {
  const clock = createTestClock()
  const { documents, log, queue } = createMemoryStore({ clock, limits: { maxPending: 9 } })
  const deps = { documents, log, clock, maxDocumentBytes: 1_000_000 }
  await keepConversation(deps, { ...target, change: { title: 'Hello', pinned: false, leaf: 'a' } }, options)
  const read = async () => (await openConversation(deps, target, options)).turns
  return { deps, read, queue, clock }
}

export type Parts = Awaited<ReturnType<typeof createParts>>

/** Submits a request, and has a worker claim it unless it waits. */
export async function submit({ queue }: Parts, id: string, { claimed = true } = {}) {
  const work = { kind: 'chat', request: { model: 'm' } } as never
  const common = { accountId: 'ada', tokenId: null, traceparent: null, priority: 'normal', idempotency: null, webhookUrl: null } as const
  await queue.enqueue({ ...common, id, work }, options)
  if (!claimed) return
  const wanted = { workerId: 'w', rooms: [{ model: 'm', room: 9 }], limit: 9, leaseMs: 60_000 }
  await queue.claim(wanted, options)
}
