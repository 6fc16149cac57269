import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'

/** Calls of tools that clients run, with the field of their arguments. */
const calls: Readonly<Record<string, string>> = {
  custom_tool_call: 'input',
  local_shell_call: 'action',
  shell_call: 'action',
  apply_patch_call: 'operation',
  tool_search_call: 'arguments',
}

/** Results of OpenAI's server tools, which models here cannot use. */
const traces = [
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'computer_call',
  'computer_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
]

/**
 * Converts items of tools that clients or other services ran to calls and outputs of functions.
 *
 * @returns All other items unchanged.
 * @throws {ServiceError} `invalid_request_error` for a summary of another service.
 */
export function readToolHistory(items: readonly unknown[]): readonly unknown[] {
  return items.flatMap((item, index): readonly unknown[] =>
    isRecord(item) && typeof item.type === 'string' ? readItem(item, item.type, index) : [item],
  )
}

function readItem(item: Readonly<Record<string, unknown>>, type: string, index: number): readonly unknown[] {
  if (traces.includes(type)) return []
  if (type === 'compaction' || type === 'compaction_summary')
    return [{ type: 'message', role: 'developer', content: unpackSummary(item.encrypted_content, index) }]
  // Some clients send the arguments as an object, or leave empty ones out.
  if (type === 'function_call' && typeof item.arguments !== 'string') return [{ ...item, arguments: asText(item.arguments ?? {}) }]
  const { id, call_id = id, output, tools } = item
  if (Object.hasOwn(calls, type)) {
    const { name = type.replace(/_call$/, ''), namespace } = item
    const given = item[calls[type] ?? ''] ?? {}
    const written = type === 'custom_tool_call' ? { input: given } : given
    return [{ type: 'function_call', call_id, name, ...(typeof namespace === 'string' && { namespace }), arguments: asText(written) }]
  }
  if (type === 'mcp_call') {
    const result = item.error ?? output ?? ''
    return [
      { type: 'function_call', call_id, name: item.name, arguments: asText(item.arguments ?? {}) },
      { type: 'function_call_output', call_id, output: asText(result) },
    ]
  }
  if (/^(?:custom_tool_call|local_shell_call|shell_call|apply_patch_call|tool_search)_output$/.test(type)) {
    const said = output ?? tools ?? item.status ?? ''
    return [{ type: 'function_call_output', call_id, output: isParts(said) ? said : asText(said) }]
  }
  return [item]
}

function isParts(output: unknown): boolean {
  const types = ['input_text', 'input_image']
  return Array.isArray(output) && output.length > 0 && output.every((part: unknown) => isRecord(part) && types.includes(String(part.type)))
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Beginnings of `encrypted_content`, by what follows. */
const marks = { thoughts: 'sepia.', summary: 'sepia-summary.' } as const

/** Packs a text as `encrypted_content`, for clients that keep nothing and send everything back. It is opaque but not encrypted. */
export function pack(kind: keyof typeof marks, text: string): string {
  return marks[kind] + Buffer.from(text).toString('base64url')
}

/** The text that {@link pack} packed; null if it was not packed here. */
export function unpack(kind: keyof typeof marks, content: unknown): string | null {
  if (typeof content !== 'string' || !content.startsWith(marks[kind])) return null
  return Buffer.from(content.slice(marks[kind].length), 'base64url').toString('utf8')
}

/**
 * The text that a model sees in place of a `compaction` item.
 *
 * @param index The item's index in `input`.
 * @throws {ServiceError} `invalid_request_error` for one made by another service, which cannot be read.
 */
function unpackSummary(content: unknown, index: number): string {
  const summary = unpack('summary', content)
  if (summary !== null) return `Summary of the conversation so far:\n${summary}`
  const param = `input[${index}].encrypted_content`
  throw new ServiceError('invalid_request_error', `\`${param}\` was made by another service; send the conversation itself.`, { param })
}
