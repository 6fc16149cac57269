import { defined } from '../../../core/defined.ts'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { ToolDefinition } from '../../../core/text-generation.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

/**
 * Finds tools that run on the servers of another service, or whose format only its models know.
 *
 * @param known The types of tools that clients run.
 * @param advice What to send instead.
 */
export function findForeignTools(tools: unknown, known: readonly string[], advice: string): readonly FieldFault[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown, index): readonly FieldFault[] => {
    const kind = isRecord(tool) ? tool.type : undefined
    if (typeof kind !== 'string' || known.includes(kind)) return []
    const words = `is ${shortName(kind)}, a tool that this service does not have: ${advice}.`
    return [fieldFault(['tools', index], words, 'unsupported_parameter')]
  })
}

/** Finds names that an earlier tool has. @param pathOf The path of a name in `tools`. */
export function findRepeatedNames(names: readonly string[], pathOf: (index: number) => FieldFault['path']): readonly FieldFault[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [fieldFault(pathOf(index), `must be unique; ${name} appears twice.`)],
  )
}

/**
 * Finds a choice without its tool.
 *
 * @param chosen The names in `tool_choice`.
 * @param isRequired Whether it requires a call of any tool.
 */
export function findChoiceFaults(names: readonly string[], chosen: readonly string[], isRequired: boolean): readonly FieldFault[] {
  const missing = findMissingName('tool_choice', chosen, names, 'tools')
  return isRequired && names.length === 0 ? [...missing, fieldFault('tool_choice', 'needs `tools`; add them, or leave it out.')] : missing
}

/** Finds the first chosen name that is not in a list. @param list The field of the list. */
export function findMissingName(field: string, chosen: readonly string[], names: readonly string[], list: string): readonly FieldFault[] {
  const missing = chosen.find((name) => !names.includes(name))
  return missing === undefined ? [] : [fieldFault(field, `names ${missing}, which is not in \`${list}\`; name one of them.`)]
}

type GivenFunction = Pick<ToolDefinition, 'name'> & Partial<ToolDefinition>

const noParameters = { type: 'object', properties: {} }

/** A function; one without parameters takes an empty object. */
export function defineFunction({ name, description = null, parameters = noParameters, strict }: GivenFunction): ToolDefinition {
  return { name, description, parameters, ...defined({ strict }) }
}

/** A tool whose input is a text. A model sees a function with one argument. @param grammar Only described to the model, not enforced. */
export function defineTextTool(
  name: string,
  description: string | undefined,
  grammar: { readonly syntax: string; readonly definition: string } | null,
): Omit<ToolDefinition, 'calledAs'> {
  const rule = grammar && `The input follows this ${grammar.syntax} grammar:\n${grammar.definition}`
  const described = rule === null ? (description ?? null) : [description, rule].filter(Boolean).join('\n\n')
  const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false }
  return { name, description: described, parameters }
}
