import { isRecord } from '../../../../../core/json-value.ts'
import type { ChatBody } from '../../../../../http/wire/chat/chat-request.ts'
import { readJson } from '../../../interface/read-json.ts'
import { t } from '../../../language/t.ts'

export type Tool = Extract<NonNullable<ChatBody['tools']>[number], { readonly function: object }>

/**
 * Parses functions from JSON: one or a list, bare or wrapped in OpenAI's format. An empty text has none. Returns an error for invalid ones.
 */
export function readTools(text: string): { readonly tools: readonly Tool[]; readonly fault: string | null } {
  if (text.trim() === '') return { tools: [], fault: null }
  const value = readJson(text)
  const tools = (Array.isArray(value) ? value : [value]).map(readTool)
  const known = tools.filter((tool) => tool !== null)
  if (known.length < tools.length || known.length === 0)
    return { tools: [], fault: t`Enter a function as JSON with a name and parameters, or a list of functions.` }
  const names = known.map((tool) => tool.function.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return { tools: [], fault: t`${twice} appears twice; give each function its own name.` }
  return { tools: known, fault: null }
}

function readTool(value: unknown): Tool | null {
  const inner = isRecord(value) && isRecord(value.function) ? value.function : value
  if (!isRecord(inner) || typeof inner.name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(inner.name)) return null
  const { name, description, parameters } = inner
  if (parameters !== undefined && !isRecord(parameters)) return null
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      ...(parameters !== undefined && { parameters: parameters as NonNullable<Tool['function']['parameters']> }),
    },
  }
}
