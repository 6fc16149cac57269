import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { ChatInput, ToolDefinition } from '../../../core/text-generation.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { ignoredTools, toolName } from '../chat/tool-fields.ts'

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

const example = Type.Object(messageToolFields)
type ToolsBody = Static<typeof example>

/** Finds tools that run on Anthropic's servers, or whose format only its models know. */
export function findForeignTools(tools: unknown): readonly FieldFault[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown, index): readonly FieldFault[] => {
    const kind = isRecord(tool) ? tool.type : undefined
    if (typeof kind !== 'string' || kind === 'custom') return []
    const words = `is ${shortName(kind)}, a tool that this service does not have: remove it, or describe it by name and input_schema.`
    return [fieldFault(['tools', index], words, 'unsupported_parameter')]
  })
}

/** Finds duplicate names, and a choice without its tool. */
export function findMessageToolFaults({ tools = [], tool_choice }: ToolsBody): readonly FieldFault[] {
  const names = tools.map((tool) => tool.name)
  const faults = names.flatMap((name, index): readonly FieldFault[] =>
    names.indexOf(name) === index
      ? []
      : [
          {
            path: ['tools', index, 'name'],
            message: `\`tools[${index}].name\` must be unique; ${name} appears twice.`,
            kind: 'conflict',
          },
        ],
  )
  if (tool_choice?.type === 'any' && names.length === 0)
    return [...faults, fieldFault('tool_choice', 'needs `tools`; add them, or leave it out.')]
  if (tool_choice?.type === 'tool' && !names.includes(tool_choice.name))
    return [...faults, fieldFault('tool_choice', `names ${tool_choice.name}, which is not in \`tools\`; name one of them.`)]
  return faults
}

/** The tools that may be called, and the call that is required. */
export function readMessageTools({ tools = [], tool_choice }: ToolsBody): Pick<ChatInput, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const definitions = tools.map(
    ({ name, description, input_schema, strict }): ToolDefinition => ({
      name,
      description: description ?? null,
      parameters: input_schema,
      ...(strict !== undefined && { strict }),
    }),
  )
  const parallelToolCalls = !(
    tool_choice !== undefined &&
    'disable_parallel_tool_use' in tool_choice &&
    tool_choice.disable_parallel_tool_use
  )
  return { tools: definitions, toolChoice: readChoice({ tools, tool_choice }), parallelToolCalls }
}

function readChoice({
  tools = [],
  tool_choice,
}: Pick<ToolsBody, 'tools'> & { tool_choice: ToolsBody['tool_choice'] }): ChatInput['toolChoice'] {
  switch (tool_choice?.type) {
    case 'none':
      return 'none'
    case 'any':
      return 'required'
    case 'tool':
      return { name: tool_choice.name }
    default:
      return tools.length > 0 ? 'auto' : 'none'
  }
}
