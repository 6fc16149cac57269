import { ServiceError } from '../../../core/error.ts'
import type { ToolDefinition } from '../../../core/text-generation.ts'
import type { ChatTemplate, RenderOptions, TemplateMessage } from './chat-template.ts'

/**
 * Renders messages. A template that refuses them sees several of a system or a user in a row as one, since many insist on turns, and if it refuses that too,
 * the system message at the head of the first user message.
 *
 * @throws {ServiceError} as the template does at first.
 */
export function renderPrompt(
  template: ChatTemplate,
  messages: readonly TemplateMessage[],
  tools: readonly ToolDefinition[],
  options: RenderOptions = {},
): string {
  const joined = joinNeighbours(messages)
  let refusal: unknown = null
  for (const told of [messages, joined, joinNeighbours(withoutSystem(joined))]) {
    try {
      return template.render(told, tools, options)
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'invalid_request_error')) throw error
      refusal ??= error
    }
  }
  throw refusal
}

function joinNeighbours(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  const joined: TemplateMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    const joins = (message.role === 'user' || message.role === 'system') && last?.role === message.role && last.name === message.name
    if (joins) joined[joined.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` }
    else joined.push(message)
  }
  return joined
}

function withoutSystem(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  return messages.map((message) => (message.role === 'system' ? { ...message, role: 'user' } : message))
}
