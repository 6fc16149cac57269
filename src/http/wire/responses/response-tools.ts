import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { ChatInput, ToolDefinition } from '../../../core/text-generation.ts'
import { type BodyOf, closed, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { ignoredTools, toolName } from '../chat/tool-fields.ts'
import { defineFunction, defineTextTool, findChoiceFaults, findForeignTools } from '../chat/tool-rules.ts'
import { ignoredFields, ignoredMarks } from '../ignored-fields.ts'

const name = toolName
const functionTool = closed({
  type: Type.Literal('function'),
  name,
  ...optional({ description: Type.String(), parameters: jsonObject, strict: Type.Boolean(), async: Type.Literal(false) }),
  ...ignoredFields('output_schema'),
  ...ignoredTools,
  ...ignoredMarks,
})
/** A tool whose input is a text. A model sees a function with one argument. */
const customTool = closed({
  type: Type.Literal('custom'),
  name,
  ...optional({
    description: Type.String(),
    format: Type.Union([
      closed({ type: Type.Literal('text') }),
      closed({ type: Type.Literal('grammar'), syntax: Type.Enum(['lark', 'regex']), definition: Type.String() }),
    ]),
    async: Type.Literal(false),
  }),
  ...ignoredTools,
  ...ignoredMarks,
})
const callable = Type.Union([functionTool, customTool])
const namespaceTool = closed({
  type: Type.Literal('namespace'),
  name,
  description: Type.Optional(Type.String()),
  tools: Type.Array(callable, { maxItems: 128 }),
})
const named = closed({ type: Type.Enum(['function', 'custom']), name })

/** The fields about tools of POST /v1/responses. */
export const responseToolFields = optional({
  tools: Type.Array(Type.Union([functionTool, customTool, namespaceTool]), {
    maxItems: 128,
    description:
      'Functions and custom tools the model may call, alone or in namespaces. Tools built into OpenAI’s own service are rejected by name.',
  }),
  tool_choice: Type.Union(
    [
      Type.Enum(['auto', 'none', 'required']),
      named,
      closed({ type: Type.Literal('allowed_tools'), mode: Type.Enum(['auto', 'required']), tools: Type.Array(named, { minItems: 1 }) }),
    ],
    { description: 'Whether or which function to call; auto when there are tools.' },
  ),
  parallel_tool_calls: Type.Boolean({ default: true, description: 'Whether several functions may be called at once.' }),
})

type ToolsBody = BodyOf<typeof responseToolFields>

/** Finds tools that are built into OpenAI's own service. */
export function findForeignResponseTools(tools: unknown): readonly FieldFault[] {
  return findForeignTools(tools, ['function', 'custom', 'namespace'], 'remove it, or describe a function')
}

/** Separator between namespace and name in the names that models see; no name may end with it. */
const between = '__'

/** The name of a function that models see. */
export function joinName(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}${between}${name}`
}

/** The namespace and name of a function for the client. */
export function splitName(called: string, { tools = [] }: ToolsBody): { readonly name: string; readonly namespace?: string } {
  for (const tool of tools) {
    if (tool.type !== 'namespace') continue
    const found = tool.tools.find((inner) => joinName(tool.name, inner.name) === called)
    if (found !== undefined) return { name: found.name, namespace: tool.name }
  }
  return { name: called }
}

/** Finds duplicate names, and a choice without its function. */
export function findResponseToolFaults(body: ToolsBody): readonly FieldFault[] {
  const names = readDefinitions(body).map((tool) => tool.name)
  const twice = names.find((known, index) => names.indexOf(known) !== index)
  if (twice !== undefined) return [fieldFault('tools', `must have unique names; ${twice} appears twice.`)]
  const { tool_choice } = body
  const chosen = typeof tool_choice !== 'object' ? [] : tool_choice.type === 'allowed_tools' ? tool_choice.tools : [tool_choice]
  return findChoiceFaults(
    names,
    chosen.map((tool) => tool.name),
    tool_choice === 'required',
  )
}

/** Whether a call belongs to a custom tool, whose input is a text. */
export function isCustom(called: string, { tools = [] }: ToolsBody): boolean {
  return tools.some((tool) =>
    tool.type === 'namespace'
      ? tool.tools.some((inner) => inner.type === 'custom' && joinName(tool.name, inner.name) === called)
      : tool.type === 'custom' && tool.name === called,
  )
}

/** The tools that may be called, and the call that is required. */
export function readResponseTools(body: ToolsBody): Pick<ChatInput, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const { tool_choice: choice } = body
  const all = readDefinitions(body)
  const allowed = typeof choice === 'object' && choice.type === 'allowed_tools' ? choice : null
  const tools = allowed === null ? all : all.filter((tool) => allowed.tools.some((each) => each.name === tool.name))
  const toolChoice = readChoice(choice, tools)
  return { tools, toolChoice, parallelToolCalls: body.parallel_tool_calls ?? true }
}

function readChoice(choice: ToolsBody['tool_choice'], tools: readonly ToolDefinition[]): ChatInput['toolChoice'] {
  if (choice === undefined) return tools.length > 0 ? 'auto' : 'none'
  if (typeof choice === 'string') return choice
  return choice.type === 'allowed_tools' ? choice.mode : { name: choice.name }
}

function readDefinitions({ tools = [] }: ToolsBody): readonly ToolDefinition[] {
  return tools.flatMap((tool) =>
    tool.type === 'namespace' ? tool.tools.map((inner) => define(tool.name, inner)) : [define(undefined, tool)],
  )
}

function define(namespace: string | undefined, tool: Static<typeof callable>): ToolDefinition {
  const name = joinName(namespace, tool.name)
  if (tool.type === 'function') return defineFunction({ ...tool, name })
  return defineTextTool(name, tool.description, tool.format?.type === 'grammar' ? tool.format : null)
}
