import type { ToolDefinition } from '../../../core/text-generation.ts'

const instructions = `IMPORTANT: ALWAYS adhere to this exact format for tool use:
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>{{additional_tool_calls}}<｜tool▁calls▁end｜>

Where:
- \`tool_call_name\` must be an exact match to one of the available tools
- \`tool_call_arguments\` must be valid JSON that strictly follows the tool's Parameters Schema
- For multiple tool calls, chain them directly without separators or spaces`

/**
 * Describes tools in the words that DeepSeek V3.1 was trained with, which its template leaves to the system message.
 *
 * @see https://huggingface.co/deepseek-ai/DeepSeek-V3.1#toolcall
 */
export function offerDeepSeekTools(tools: readonly ToolDefinition[]): string {
  const described = tools.map(
    ({ name, description, parameters }) => `### ${name}\nDescription: ${description ?? ''}\n\nParameters: ${JSON.stringify(parameters)}`,
  )
  return `## Tools\nYou have access to the following tools:\n\n${described.join('\n\n')}\n\n${instructions}`
}
