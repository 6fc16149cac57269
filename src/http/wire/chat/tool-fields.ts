import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { ToolChoice, ToolDefinition } from '../../../core/text-generation.ts'
import { jsonObject } from './response-format-field.ts'

const toolName = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' })

/** The fields about tools of POST /v1/chat/completions. */
export const toolFields = {
  tools: Type.Optional(
    Type.Array(
      Type.Object(
        {
          type: Type.Literal('function'),
          function: Type.Object(
            {
              name: toolName,
              description: Type.Optional(Type.String()),
              parameters: Type.Optional(jsonObject),
              strict: Type.Optional(Type.Boolean()),
            },
            { additionalProperties: false },
          ),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: 128,
        description: 'Functions the model may call: type, function.name, function.description, function.parameters (JSON Schema).',
      },
    ),
  ),
  tool_choice: Type.Optional(
    Type.Union(
      [
        Type.Enum(['auto', 'none', 'required']),
        Type.Object(
          { type: Type.Literal('function'), function: Type.Object({ name: toolName }, { additionalProperties: false }) },
          { additionalProperties: false },
        ),
      ],
      { description: 'Whether or which function to call; auto when there are tools.' },
    ),
  ),
  parallel_tool_calls: Type.Optional(Type.Boolean({ default: true, description: 'Whether several functions may be called at once.' })),
}

const example = Type.Object(toolFields)
type ToolsBody = Static<typeof example>

/** What the schema of the fields cannot say: names come once, and a choice names a tool that is there. */
export function findToolFaults({ tools = [], tool_choice }: ToolsBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const names = tools.map((tool) => tool.function.name)
  for (const [index, name] of names.entries())
    if (names.indexOf(name) !== index)
      faults.push({
        path: ['tools', index, 'function', 'name'],
        message: `\`tools[${index}].function.name\` must be unique; ${name} is there twice.`,
        kind: 'conflict',
      })
  if (tool_choice === 'required' && names.length === 0) faults.push(choiceFault('needs `tools`; add them, or leave it out.'))
  if (typeof tool_choice === 'object' && !names.includes(tool_choice.function.name))
    faults.push(choiceFault(`names ${tool_choice.function.name}, which is not in \`tools\`; name one of them.`))
  return faults
}

/** The tools that a model may call. */
export function readTools({ tools = [] }: ToolsBody): readonly ToolDefinition[] {
  return tools.map(({ function: { name, description, parameters, strict } }) => ({
    name,
    description: description ?? null,
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
  }))
}

/** Whether and what a model has to call: as it likes when there are tools, else nothing. */
export function readToolChoice({ tools = [], tool_choice }: ToolsBody): ToolChoice {
  if (tool_choice === undefined) return tools.length > 0 ? 'auto' : 'none'
  return typeof tool_choice === 'string' ? tool_choice : { name: tool_choice.function.name }
}

function choiceFault(text: string): FieldFault {
  return { path: ['tool_choice'], message: `\`tool_choice\` ${text}`, kind: 'conflict' }
}
