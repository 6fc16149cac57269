import Type, { type Static, type TObject } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { ToolChoice, ToolDefinition } from '../../../core/text-generation.ts'
import { type BodyOf, closed, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { ignoredFields, ignoredMarks } from '../ignored-fields.ts'
import { jsonObject } from './response-format-field.ts'
import { defineFunction, defineTextTool, findChoiceFaults, findMissingName, findRepeatedNames } from './tool-rules.ts'

/** A tool's name; allows all names that agents and MCP servers use. */
export const toolName = Type.String({ pattern: '^[a-zA-Z0-9_.:/-]{1,256}$' })

const choiceWord = Type.Enum(['auto', 'none', 'required', 'any'])
/** Fields of tools that agents add for other services. */
export const ignoredTools = ignoredFields('input_examples', 'defer_loading', 'allowed_callers')

const functionFields = { name: toolName, description: Type.Optional(Type.String()), parameters: Type.Optional(jsonObject) }
const functionTool = closed({
  type: Type.Optional(Type.Literal('function')),
  function: closed({ ...functionFields, strict: Type.Optional(Type.Boolean()), ...ignoredMarks }),
  ...ignoredMarks,
  ...ignoredTools,
})
const grammar = closed({ syntax: Type.Enum(['lark', 'regex']), definition: Type.String() })
/** A tool whose input is a text. A model sees a function with one argument. */
const customTool = closed({
  type: Type.Literal('custom'),
  custom: closed({
    name: toolName,
    description: Type.Optional(Type.String()),
    format: Type.Optional(Type.Union([closed({ type: Type.Literal('text') }), closed({ type: Type.Literal('grammar'), grammar })])),
  }),
  ...ignoredMarks,
  ...ignoredTools,
})
const namedFunction = closed({ type: Type.Literal('function'), function: closed({ name: toolName }) })
const namedCustom = closed({ type: Type.Literal('custom'), custom: closed({ name: toolName }) })
const allowance = { mode: Type.Enum(['auto', 'required']), tools: Type.Array(Type.Union([namedFunction, namedCustom]), { minItems: 1 }) }

/** The fields about tools of POST /v1/chat/completions. */
export const toolFields = optional({
  tools: Type.Array(Type.Union([functionTool, customTool]), {
    maxItems: 256,
    description:
      'Functions the model may call: type, function.name, function.description, function.parameters (JSON Schema); or custom tools, whose input is a text.',
  }),
  tool_choice: Type.Union(
    [
      choiceWord,
      closed({ type: choiceWord }),
      closed({ type: Type.Literal('function'), name: toolName }),
      namedFunction,
      namedCustom,
      closed({ type: Type.Literal('allowed_tools'), allowed_tools: closed(allowance) }),
    ],
    {
      description:
        'Whether or which function to call; auto when there are tools. `any` is `required`; `allowed_tools` shows the model only some of them.',
    },
  ),
  functions: Type.Array(closed({ ...functionFields, ...ignoredMarks }), {
    minItems: 1,
    maxItems: 256,
    description: "Functions in OpenAI's first format; the answer has at most one call, as `function_call`.",
  }),
  function_call: Type.Union([Type.Enum(['auto', 'none']), closed({ name: toolName })], {
    description: 'Whether or which of `functions` to call.',
  }),
  parallel_tool_calls: Type.Boolean({ default: true, description: 'Whether several functions may be called at once.' }),
})

type ToolsBody = BodyOf<typeof toolFields>

/** Finds faults that the schema cannot express: duplicate names, and a choice without its tool. */
export function findToolFaults(body: ToolsBody): readonly FieldFault[] {
  const { tools = [], functions, tool_choice, function_call } = body
  const names = tools.map((tool) => nameOf(tool))
  const choice = readChoice(tool_choice)
  const chosen = allowedOf(tool_choice)?.tools.map((tool) => nameOf(tool)) ?? (typeof choice === 'object' ? [choice.name] : [])
  const replaced = functions !== undefined && (tools.length > 0 || tool_choice !== undefined)
  const first = typeof function_call === 'object' ? [function_call.name] : []
  const known = functions?.map(({ name }) => name) ?? []
  return [
    ...(replaced ? [fieldFault('functions', 'must be left out with `tools` and `tool_choice`, which replace it.')] : []),
    ...findMissingName('function_call', first, known, 'functions'),
    ...findRepeatedNames(names, (index) => ['tools', index, tools[index]?.type ?? 'function', 'name']),
    ...findRepeatedNames(known, (index) => ['functions', index, 'name']),
    ...findChoiceFaults(names, chosen, choice === 'required'),
  ]
}

/** The tools that a model may call. */
export function readTools({ tools = [], functions = [], tool_choice }: ToolsBody): readonly ToolDefinition[] {
  const allowed = allowedOf(tool_choice)?.tools.map((tool) => nameOf(tool))
  const shown = allowed === undefined ? tools : tools.filter((tool) => allowed.includes(nameOf(tool)))
  return [
    ...shown.map((tool) => (tool.type === 'custom' ? defineCustom(tool.custom) : defineFunction(tool.function))),
    ...functions.map((each) => ({ ...defineFunction(each), calledAs: 'only' as const })),
  ]
}

function defineCustom({ name, description, format }: Static<typeof customTool>['custom']): ToolDefinition {
  return { ...defineTextTool(name, description, format?.type === 'grammar' ? format.grammar : null), calledAs: 'text' }
}

function nameOf(tool: Static<typeof namedFunction> | Static<typeof namedCustom>): string {
  return tool.type === 'custom' ? tool.custom.name : tool.function.name
}

function allowedOf(choice: ToolsBody['tool_choice']): Static<TObject<typeof allowance>> | undefined {
  return typeof choice === 'object' && 'allowed_tools' in choice ? choice.allowed_tools : undefined
}

/** The tool choice: optional calls when there are tools, otherwise none. */
export function readToolChoice({ tools = [], functions = [], tool_choice, function_call }: ToolsBody): ToolChoice {
  return function_call ?? readChoice(tool_choice) ?? (tools.length + functions.length > 0 ? 'auto' : 'none')
}

/** Whether several calls may come at once; OpenAI's first format has room for one. */
export function readParallel({ functions, parallel_tool_calls: parallel = true }: ToolsBody): boolean {
  return parallel && functions === undefined
}

function readChoice(choice: ToolsBody['tool_choice']): ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'string') return choice === 'any' ? 'required' : choice
  if ('function' in choice || 'custom' in choice) return { name: nameOf(choice) }
  if ('allowed_tools' in choice) return choice.allowed_tools.mode
  return 'name' in choice ? { name: choice.name } : readChoice(choice.type)
}
