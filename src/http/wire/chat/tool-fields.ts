import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { ToolChoice, ToolDefinition } from '../../../core/text-generation.ts'
import { idleFields, idleMarks } from '../idle-fields.ts'
import { jsonObject } from './response-format-field.ts'

/** A name as agents and MCP's servers write them. */
export const toolName = Type.String({ pattern: '^[a-zA-Z0-9_.:/-]{1,256}$' })
const closed = { additionalProperties: false }

const choiceWord = Type.Enum(['auto', 'none', 'required', 'any'])
/** What agents note of tools for other services. */
export const idleTools = idleFields('input_examples', 'defer_loading', 'allowed_callers')

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
              ...idleMarks,
            },
            closed,
          ),
          ...idleMarks,
          ...idleTools,
        },
        closed,
      ),
      {
        maxItems: 256,
        description: 'Functions the model may call: type, function.name, function.description, function.parameters (JSON Schema).',
      },
    ),
  ),
  tool_choice: Type.Optional(
    Type.Union(
      [
        choiceWord,
        Type.Object({ type: choiceWord }, closed),
        Type.Object({ type: Type.Literal('function'), name: toolName }, closed),
        Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: toolName }, closed) }, closed),
      ],
      { description: 'Whether or which function to call; auto when there are tools. `any` is `required`.' },
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
  const choice = readChoice(tool_choice)
  if (choice === 'required' && names.length === 0) faults.push(choiceFault('needs `tools`; add them, or leave it out.'))
  if (typeof choice === 'object' && !names.includes(choice.name))
    faults.push(choiceFault(`names ${choice.name}, which is not in \`tools\`; name one of them.`))
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
  return readChoice(tool_choice) ?? (tools.length > 0 ? 'auto' : 'none')
}

function readChoice(choice: ToolsBody['tool_choice']): ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'string') return choice === 'any' ? 'required' : choice
  if ('function' in choice) return { name: choice.function.name }
  return 'name' in choice ? { name: choice.name } : readChoice(choice.type)
}

function choiceFault(text: string): FieldFault {
  return { path: ['tool_choice'], message: `\`tool_choice\` ${text}`, kind: 'conflict' }
}
