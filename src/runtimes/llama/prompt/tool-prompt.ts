import type { ChatMessage, ToolDefinition } from '../../../core/text-generation.ts'
import { describeTool } from './chat-template.ts'

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
  const written = messages.map(writeMessage)
  if (tools.length === 0) return written
  const [first, ...rest] = written
  const teach = instructions.replace('TOOLS', () => tools.map((tool) => JSON.stringify(describeTool(tool))).join('\n'))
  if (first?.role !== 'system') return [{ role: 'system', content: teach }, ...written]
  return [{ role: 'system', content: `${first.content}\n\n${teach}` }, ...rest]
}

function writeMessage(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message
  const calls = message.toolCalls.map(
    (call) => `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${call.arguments}}\n</tool_call>`,
  )
  return { role: 'assistant', content: [message.content ?? '', ...calls].filter((text) => text.length > 0).join('\n') }
}
