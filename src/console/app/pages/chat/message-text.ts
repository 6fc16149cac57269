import type { Turn } from '../../../../core/chat/conversation.ts'
import { beginning, isVisible, onOneLine } from '../../../../core/text/visible-text.ts'
import type { ChatBody } from '../../../../http/wire/chat/chat-request.ts'
import { t } from '../../language/t.ts'

export type ChatMessage = ChatBody['messages'][number]

const longestTitle = 80

type Said = Pick<Turn, 'role' | 'content' | 'files' | 'pictures' | 'calls'>

/** A message as the model reads it: the text, then the attached files, each in a fence that is longer than any inside. */
export function textOf({ content, files }: Pick<Turn, 'content' | 'files'>): string {
  const attached = files.map(({ name, text }) => {
    const fence = '`'.repeat(Math.max(3, longestFence(text) + 1))
    return `\n\n${name}:\n${fence}\n${text}\n${fence}`
  })
  return content + attached.join('')
}

/**
 * A message in the format of chat completions, pictures first, followed by its function calls and their results. Empty messages are omitted.
 */
export function messagesOf(turn: Said): readonly ChatMessage[] {
  const content = textOf(turn)
  const answered = (turn.calls ?? []).flatMap(({ result, ...call }) => (result === undefined ? [] : [{ ...call, result }]))
  const { pictures = [] } = turn
  if (pictures.length > 0) {
    const parts = pictures.map(({ url }) => ({ type: 'image_url' as const, image_url: { url } }))
    return [{ role: turn.role, content: [...parts, ...(content === '' ? [] : [{ type: 'text' as const, text: content }])] }]
  }
  if (answered.length === 0) return content === '' ? [] : [{ role: turn.role, content }]
  const tool_calls = answered.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: text },
  }))
  return [
    { role: turn.role, content, tool_calls },
    ...answered.map(({ id, result }) => ({ role: 'tool' as const, content: result, tool_call_id: id })),
  ]
}

function longestFence(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}

/** The title of a conversation that begins with this message; an ellipsis shows that it is cut. */
export function titleOf({ content, pictures = [] }: Pick<Turn, 'content' | 'pictures'>): string {
  const titles = [content, pictures[0]?.name ?? ''].map((text) => {
    const line = onOneLine(text)
    return beginning(line, longestTitle) === line ? line : `${beginning(line, longestTitle - 1).trimEnd()}…`
  })
  return titles.find(isVisible) ?? t`Untitled`
}
