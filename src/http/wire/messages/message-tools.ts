import Type from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { ChatInput } from '../../../core/text-generation.ts'
import { type BodyOf, closed, optional } from '../../faults/object-schema.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { ignoredTools, toolName } from '../chat/tool-fields.ts'
import { defineFunction, findChoiceFaults, findForeignTools, findRepeatedNames } from '../chat/tool-rules.ts'

const parallel = { disable_parallel_tool_use: Type.Optional(Type.Boolean()) }

/** The fields about tools of POST /v1/messages. */
export const messageToolFields = optional({
  tools: Type.Array(
    closed({
      type: Type.Optional(Type.Literal('custom')),
      name: toolName,
      description: Type.Optional(Type.String()),
      input_schema: jsonObject,
      ...optional({ strict: Type.Boolean(), eager_input_streaming: Type.Boolean(), cache_control: jsonObject }),
      ...ignoredTools,
    }),
    { maxItems: 256, description: 'Functions the model may call: name, description, input_schema (JSON Schema).' },
  ),
  tool_choice: Type.Union(
    [
      closed({ type: Type.Literal('auto'), ...parallel }),
      closed({ type: Type.Literal('any'), ...parallel }),
      closed({ type: Type.Literal('none') }),
      closed({ type: Type.Literal('tool'), name: toolName, ...parallel }),
    ],
    { description: 'Whether or which function to call; auto when there are tools.' },
  ),
})

type ToolsBody = BodyOf<typeof messageToolFields>

/** Finds tools that run on Anthropic's servers, or whose format only its models know. */
export function findForeignMessageTools(tools: unknown): readonly FieldFault[] {
  return findForeignTools(tools, ['custom'], 'remove it, or describe it by name and input_schema')
}

/** Finds duplicate names, and a choice without its tool. */
export function findMessageToolFaults({ tools = [], tool_choice }: ToolsBody): readonly FieldFault[] {
  const names = tools.map((tool) => tool.name)
  const chosen = tool_choice?.type === 'tool' ? [tool_choice.name] : []
  return [...findRepeatedNames(names, (index) => ['tools', index, 'name']), ...findChoiceFaults(names, chosen, tool_choice?.type === 'any')]
}

/** The tools that may be called, and the call that is required. */
export function readMessageTools({ tools = [], tool_choice }: ToolsBody): Pick<ChatInput, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const definitions = tools.map(({ input_schema: parameters, ...tool }) => defineFunction({ ...tool, parameters }))
  const { disable_parallel_tool_use: isSerial = false } = { disable_parallel_tool_use: undefined, ...tool_choice }
  return { tools: definitions, toolChoice: readChoice(tool_choice, tools.length > 0), parallelToolCalls: !isSerial }
}

function readChoice(choice: ToolsBody['tool_choice'], hasTools: boolean): ChatInput['toolChoice'] {
  if (choice?.type === 'tool') return { name: choice.name }
  if (choice?.type === 'any') return 'required'
  return hasTools && choice?.type !== 'none' ? 'auto' : 'none'
}
