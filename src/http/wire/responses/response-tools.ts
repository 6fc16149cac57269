import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/is-record.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import type { ChatInput, ToolDefinition } from '../../../core/text-generation.ts'
import { jsonObject } from '../chat/response-format-field.ts'

const closed = { additionalProperties: false }
const name = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' })
const functionTool = Type.Object(
  {
    type: Type.Literal('function'),
    name,
    description: Type.Optional(Type.String()),
    parameters: Type.Optional(jsonObject),
    strict: Type.Optional(Type.Boolean()),
  },
  closed,
)
const namespaceTool = Type.Object(
  { type: Type.Literal('namespace'), name, description: Type.Optional(Type.String()), tools: Type.Array(functionTool, { maxItems: 128 }) },
  closed,
)

/** The fields about tools of POST /v1/responses. */
export const responseToolFields = {
  tools: Type.Optional(
    Type.Array(Type.Union([functionTool, namespaceTool]), {
      maxItems: 128,
      description: 'Functions the model may call, alone or in namespaces; the tools built into OpenAI’s own service are refused by name.',
    }),
  ),
  tool_choice: Type.Optional(
    Type.Union([Type.Enum(['auto', 'none', 'required']), Type.Object({ type: Type.Literal('function'), name }, closed)], {
      description: 'Whether or which function to call; auto when there are tools.',
    }),
  ),
  parallel_tool_calls: Type.Optional(Type.Boolean({ default: true, description: 'Whether several functions may be called at once.' })),
}

const example = Type.Object(responseToolFields)
type ToolsBody = Static<typeof example>

/** Tools that OpenAI's own service has built in, each by its name. */
export function findForeignResponseTools(tools: unknown): readonly FieldFault[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown, index): readonly FieldFault[] => {
    const kind = isRecord(tool) ? tool.type : undefined
    if (typeof kind !== 'string' || kind === 'function' || kind === 'namespace') return []
    const message = `\`tools[${index}]\` is ${shortName(kind)}, a tool that this service does not have: remove it, or describe a function.`
    return [{ path: ['tools', index], message, kind: 'unsupported_parameter' }]
  })
}

/** How models are told of a function of a namespace; between the two stands what no name may end in. */
const between = '__'

/** A function's name as models see it. */
export function joinName(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}${between}${name}`
}

/** The namespace and name that a client knows a function by. */
export function splitName(called: string, { tools = [] }: ToolsBody): { readonly name: string; readonly namespace?: string } {
  for (const tool of tools) {
    if (tool.type === 'function') continue
    const found = tool.tools.find((inner) => joinName(tool.name, inner.name) === called)
    if (found !== undefined) return { name: found.name, namespace: tool.name }
  }
  return { name: called }
}

/** What the schema cannot say: names come once, and a choice finds its function. */
export function findResponseToolFaults(body: ToolsBody): readonly FieldFault[] {
  const names = readDefinitions(body).map((tool) => tool.name)
  const twice = names.find((known, index) => names.indexOf(known) !== index)
  if (twice !== undefined) return [fault('tools', `must have unique names; ${twice} is there twice.`)]
  const { tool_choice } = body
  if (tool_choice === 'required' && names.length === 0) return [fault('tool_choice', 'needs `tools`; add them, or leave it out.')]
  if (typeof tool_choice === 'object' && !names.includes(tool_choice.name))
    return [fault('tool_choice', `names ${tool_choice.name}, which is not in \`tools\`; name one of them.`)]
  return []
}

/** What may be called, and what has to be. */
export function readResponseTools(body: ToolsBody): Pick<ChatInput, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const { tool_choice: choice } = body
  const tools = readDefinitions(body)
  const toolChoice =
    choice === undefined ? (tools.length > 0 ? 'auto' : 'none') : typeof choice === 'string' ? choice : { name: choice.name }
  return { tools, toolChoice, parallelToolCalls: body.parallel_tool_calls ?? true }
}

function readDefinitions({ tools = [] }: ToolsBody): readonly ToolDefinition[] {
  return tools.flatMap((tool) =>
    tool.type === 'function' ? [define(undefined, tool)] : tool.tools.map((inner) => define(tool.name, inner)),
  )
}

function define(namespace: string | undefined, { name, description, parameters, strict }: Static<typeof functionTool>): ToolDefinition {
  return {
    name: joinName(namespace, name),
    description: description ?? null,
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
  }
}

function fault(field: string, text: string): FieldFault {
  return { path: [field], message: `\`${field}\` ${text}`, kind: 'conflict' }
}
