import { ServiceError } from '../../../core/error.ts'
import type { ToolDefinition } from '../../../core/text-generation.ts'
import type { ChatTemplate, RenderOptions, TemplateMessage } from './chat-template.ts'

/**
 * Renders messages. If the template refuses them, they are merged into alternating turns; if it still refuses, or omits a lone system
 * message, the system message is put at the start of the first user message.
 *
 * @throws {ServiceError} with the template's first error.
 */
export function renderPrompt(
  template: ChatTemplate,
  messages: readonly TemplateMessage[],
  tools: readonly ToolDefinition[],
  options: RenderOptions = {},
): string {
  const lone = template.hidesLoneRules && messages.every(({ role }) => role === 'system')
  const last = () => takeTurns(withoutSystem(messages))
  let refusal: unknown = null
  for (const shape of lone ? [last] : [() => messages, () => takeTurns(messages), last]) {
    try {
      return template.render(shape(), tools, options)
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'invalid_request_error')) throw error
      refusal ??= error
    }
  }
  throw refusal
}

/** Inserted between tool results and the next question, where Mistral's templates require an answer. */
const acknowledgement: TemplateMessage = { role: 'assistant', content: 'Done.' }

/** Several messages in a row of one role as one, results answered, and no answers that say nothing. */
function takeTurns(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  const turns: TemplateMessage[] = []
  for (const message of messages) {
    const { role, content, tool_calls } = message
    if (role === 'assistant' && content === '' && tool_calls === undefined) continue
    const last = turns.at(-1)
    if (last?.role === role && role !== 'tool' && last.tool_calls === undefined)
      turns[turns.length - 1] = { ...last, ...message, content: content === '' ? last.content : `${last.content}\n\n${content}` }
    else if (last?.role === 'tool' && role === 'user') turns.push(acknowledgement, message)
    else turns.push(message)
  }
  return turns
}

function withoutSystem(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  return messages.map((message) => (message.role === 'system' ? { ...message, role: 'user' } : message))
}
