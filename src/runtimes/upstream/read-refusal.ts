import { isRecord } from '../../core/is-record.ts'
import { fieldOf } from './field-of.ts'

/** Characters of a message that are passed on. */
const longestMessage = 1000

/** What a server says of a request that it refuses, in the shape of whichever interface it has; empty = it does not say. */
export function readRefusal(body: string): { readonly message: string; readonly code: string } {
  const value = parse(body)
  const said = [
    // OpenAI's, and ComfyUI's with the node that is wrong.
    [fieldOf(value, 'error', 'message'), nodeFault(fieldOf(value, 'node_errors'))].filter(isText).join(': '),
    fieldOf(value, 'message'),
    // FastAPI's, which Forge and A1111 have: one fault in words, or a list of fields.
    fieldOf(value, 'detail'),
    fieldFault(fieldOf(value, 'detail', 0)),
    // A1111 names its exception here where it says nothing else, stable-diffusion.cpp the fault.
    fieldOf(value, 'errors'),
    fieldOf(value, 'error'),
  ]
  const code = fieldOf(value, 'error', 'code')
  return { message: said.find(isText)?.slice(0, longestMessage) ?? '', code: isText(code) || typeof code === 'number' ? String(code) : '' }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function nodeFault(nodes: unknown): string | undefined {
  const [node] = isRecord(nodes) ? Object.values(nodes) : []
  const [message, input, kind] = [
    fieldOf(node, 'errors', 0, 'message'),
    fieldOf(node, 'errors', 0, 'extra_info', 'input_name'),
    fieldOf(node, 'class_type'),
  ]
  if (!isText(message)) return undefined
  return isText(input) && isText(kind) ? `${message} (${input} of ${kind})` : message
}

function fieldFault(fault: unknown): string | undefined {
  const [place, message] = [fieldOf(fault, 'loc'), fieldOf(fault, 'msg')]
  if (!isText(message)) return undefined
  const field: unknown = Array.isArray(place) ? place.at(-1) : undefined
  return isText(field) ? `\`${field}\`: ${message}` : message
}
