import type { Clock } from '../core/ports/clock.ts'
import type { TextPart } from '../core/text-generation.ts'
import type { WorkEvent } from '../core/work-event.ts'

/**
 * Passes the parts of a text on and tells how long its prompt, its first token and the others took.
 *
 * @param work.askedAt When the request came in, before it waited for a slot.
 */
export async function* timeText(
  { clock, onWork }: { readonly clock: Clock; readonly onWork: (event: WorkEvent) => void },
  { model, askedAt }: { readonly model: string; readonly askedAt: number },
  parts: AsyncIterable<TextPart>,
): AsyncGenerator<TextPart, void, undefined> {
  const startedAt = clock.now()
  const lastOf = new Map<number, number>()
  let firstAt: number | null = null
  let lastAt = startedAt
  try {
    for await (const part of parts) {
      if (isToken(part)) {
        lastAt = clock.now()
        const before = lastOf.get(part.choice)
        lastOf.set(part.choice, lastAt)
        if (before !== undefined) onWork({ type: 'next-token', model, ms: lastAt - before })
        if (firstAt === null) {
          firstAt = lastAt
          onWork({ type: 'first-token', model, ms: firstAt - askedAt })
          onWork({ type: 'phase', name: 'prompt', model, startedAt, endedAt: firstAt })
        }
      }
      yield part
    }
  } finally {
    if (firstAt !== null) onWork({ type: 'phase', name: 'decode', model, startedAt: firstAt, endedAt: lastAt })
  }
}

function isToken(part: TextPart): part is Extract<TextPart, { type: 'text' | 'thoughts' | 'tool-call' | 'tool-arguments' }> {
  return part.type === 'text' || part.type === 'thoughts' || part.type === 'tool-call' || part.type === 'tool-arguments'
}
