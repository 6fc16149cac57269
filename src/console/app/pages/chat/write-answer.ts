import type { RecordedCall, Turn } from '../../../../core/chat/conversation.ts'
import { pageShown } from '../../browser/page-shown.ts'
import { causeOf, languageOf, requestIdOf, sentenceOf } from '../../interface/request.ts'
import { type ChatStreamPart, streamChat } from '../../interface/stream-chat.ts'
import { language } from '../../language/language.ts'
import { type ChatSettings, chatRequestBody } from './chat-settings.ts'
import type { ChatMessage } from './message-text.ts'
import { schemaFaults } from './structure/check-schema.ts'
import { readSchema } from './structure/read-schema.ts'

interface Requested {
  readonly settings: ChatSettings
  /** What was said before. */
  readonly messages: readonly ChatMessage[]
  readonly signal: AbortSignal
}

/** Writes an answer, or the rest of one, and reports it as it grows; it is done, stopped or failed when this resolves. */
export async function writeAnswer(
  turn: Turn,
  { settings, messages, signal }: Requested,
  apply: (fields: Partial<Turn>) => void,
): Promise<void> {
  const { change, flush } = oncePerFrame(apply)
  const written = { content: turn.content, thoughts: turn.thoughts ?? '', calls: [] as readonly RecordedCall[] }
  const sentAt = performance.now()
  let firstAt = 0
  try {
    for await (const part of streamChat(chatRequestBody(settings, messages), signal)) {
      switch (part.type) {
        case 'text':
          written.content += part.text
          change({ content: written.content })
          break
        case 'thoughts':
          written.thoughts += part.text
          change({ thoughts: written.thoughts })
          break
        case 'call':
          written.calls = withCallPart(written.calls, part)
          change({ calls: written.calls })
          break
        case 'end':
          change({ state: part.reason === 'length' ? 'cut' : 'done' })
          continue
        case 'usage': {
          const { promptTokens, completionTokens } = part
          const endedAt = performance.now()
          // An answer without a text never began to be written.
          firstAt ||= endedAt
          change({ facts: { promptTokens, completionTokens, firstTextMs: firstAt - sentAt, writingMs: endedAt - firstAt } })
          continue
        }
      }
      firstAt ||= performance.now()
    }
    const { schema } = readSchema(settings)
    if (schema !== null && written.calls.length === 0) change({ schemaFaults: await schemaFaults(schema, written.content) })
  } catch (error) {
    // Shown as the service's failure, it would stand in the conversation that the next page opens.
    if (!signal.aborted) await pageShown()
    change(signal.aborted ? { state: 'stopped' } : failedFields(error))
  } finally {
    flush()
  }
}

/** How long a page that is not shown, and so draws no frames, may hold changes back, in milliseconds. */
const hiddenMs = 250

/** Puts changes together, so that the page is drawn at most once per frame however fast they come. */
function oncePerFrame(apply: (fields: Partial<Turn>) => void): {
  readonly change: (fields: Partial<Turn>) => void
  readonly flush: () => void
} {
  let waiting: Partial<Turn> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let frame = 0
  const flush = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    const fields = waiting
    waiting = null
    if (fields !== null) apply(fields)
  }
  const change = (fields: Partial<Turn>) => {
    if (waiting === null) {
      frame = requestAnimationFrame(flush)
      timer = setTimeout(flush, hiddenMs)
    }
    waiting = { ...waiting, ...fields }
  }
  return { change, flush }
}

function failedFields(error: unknown): Partial<Turn> {
  const requestId = requestIdOf(error)
  const cause = causeOf(error)
  const failed = { failure: sentenceOf(error), failureLanguage: languageOf(error) ?? language }
  return { state: 'failed', ...failed, ...(requestId !== null && { requestId }), ...(cause !== null && { cause }) }
}

/** The calls with one more piece of one of them. */
function withCallPart(calls: readonly RecordedCall[], part: ChatStreamPart & { readonly type: 'call' }): readonly RecordedCall[] {
  const known = calls[part.index] ?? { id: '', name: '', arguments: '' }
  const grown = { id: known.id || part.id, name: known.name + part.name, arguments: known.arguments + part.arguments }
  return [...calls.slice(0, part.index), grown, ...calls.slice(part.index + 1)]
}
