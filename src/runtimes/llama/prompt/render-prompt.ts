import { ServiceError } from '../../../core/error.ts'
import type { ToolDefinition } from '../../../core/text-generation.ts'
import type { ChatTemplate, RenderOptions, TemplateMessage } from './chat-template.ts'

/**
 * Renders messages; a template that refuses a system message sees its text at the head of the first user message.
 *
 * @throws {ServiceError} as the template does.
 */
export function renderPrompt(
  template: ChatTemplate,
  messages: readonly TemplateMessage[],
  tools: readonly ToolDefinition[],
  options: RenderOptions = {},
): string {
  try {
    return template.render(messages, tools, options)
  } catch (error) {
    const [system, user, ...rest] = messages
    const refused = error instanceof ServiceError && error.code === 'invalid_request_error'
    if (!refused || system?.role !== 'system' || user?.role !== 'user') throw error
    return template.render([{ ...user, content: `${system.content}\n\n${user.content}` }, ...rest], tools, options)
  }
}
