import type { ChatMessage, ToolDefinition } from '../../../core/text-generation.ts'
import { describeTool } from './chat-template.ts'
import { hermes, openCall } from './tool-format.ts'

const instructions = `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
TOOLS
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`

/** Writes tools, calls and results as text, for templates that know none of them; the wording is Hermes's and Qwen's. */
export function writeToolsAsText(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): readonly ChatMessage[] {
  const written = joinResults(messages).map(writeMessage)
  if (tools.length === 0) return written
  const teach = instructions.replace('TOOLS', () => tools.map((tool) => JSON.stringify(describeTool(tool))).join('\n'))
  return addRules(written, teach)
}

/** Adds to the system message; there is one then. */
export function addRules(messages: readonly ChatMessage[], rules: string): readonly ChatMessage[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: rules }, ...messages]
  return [{ role: 'system', content: `${first.content}\n\n${rules}` }, ...rest]
}

/** Results in a row become one turn of the user, as Qwen writes them: many templates refuse two. */
function joinResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const joined: ChatMessage[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') {
      joined.push(message)
      continue
    }
    const written = `<tool_response>\n${message.content}\n</tool_response>`
    const last = joined.at(-1)
    if (messages[index - 1]?.role !== 'tool' || last === undefined) joined.push({ role: 'user', content: written })
    else joined[joined.length - 1] = { role: 'user', content: `${last.content}\n${written}` }
  }
  return joined
}

function writeMessage(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message
  const { toolCalls, ...said } = message
  const calls = toolCalls.map((call) => openCall(hermes, call.name) + (call.arguments || '{}') + hermes.after)
  return { ...said, content: [message.content ?? '', ...calls].filter((text) => text.length > 0).join('\n') }
}
