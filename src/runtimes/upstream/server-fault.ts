import { isRecord } from '../../core/json-value.ts'
import { fieldOf, fieldsOf } from './field-of.ts'

/** Maximum characters of a server's message that reach a client; some servers repeat whole requests. */
const longestMessage = 1000
/** Characters of an error within an error that are read. */
const longestRaw = 16_384

/** An error as a server reports it. */
export interface ServerFault {
  /** The message; may be empty. */
  readonly message: string
  /** The server's error code or type. */
  readonly code: string
  /** The HTTP status that the error itself names, as in a stream that began with 200. */
  readonly status: number | null
}

/** HTTP statuses by error type, for errors in a stream without a status: TGI, Anthropic and OpenAI. */
const statuses: Readonly<Record<string, number>> = {
  validation: 422,
  template_error: 422,
  tool_error: 422,
  overloaded: 429,
  invalid_request_error: 400,
  BadRequestError: 400,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
}

/**
 * Reads a server's error in any of the forms in use: OpenAI's `{"error": {"message", "type", "code"}}`, TGI's
 * `{"error": "…", "error_type"}`, older vLLM's `{"message", "code"}`, FastAPI's `{"detail": "…"}` and `{"detail": [{"loc", "msg"}]}`, A1111's `{"error", "errors"}`, which names
 * its exception in the first, ComfyUI's `{"error": {"message"}, "node_errors"}`, and OpenRouter's `{"error": {"metadata": {"raw"}}}`; Gemini puts OpenAI's into a list.
 */
export function readFault(value: unknown): ServerFault {
  const whole = fieldsOf(Array.isArray(value) ? value[0] : value)
  const inner = isRecord(whole.error) ? whole.error : whole
  const { code, http_status_code: status = code, type, error_type: kind = type } = inner
  const own = [fieldOf(whole, 'error', 'message'), nodeFault(whole.node_errors)].filter(isText).join(': ')
  const message = [
    innerFault(inner.metadata),
    own,
    whole.message,
    whole.detail,
    fieldFault(fieldOf(whole, 'detail', 0)),
    whole.errors,
    whole.error,
  ].find(isText)
  return {
    message: sentence((message ?? '').trim()),
    code: [code, kind].map(nameOf).find(isText) ?? '',
    status: numberOf(status) ?? statuses[String(code)] ?? statuses[String(kind)] ?? null,
  }
}

function sentence(text: string): string {
  if (text.length > longestMessage) return `${text.slice(0, longestMessage)}….`
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function nameOf(code: unknown): string {
  return typeof code === 'string' || typeof code === 'number' ? String(code) : ''
}

/** The first invalid input in ComfyUI's error. */
function nodeFault(nodes: unknown): string | undefined {
  const [node] = isRecord(nodes) ? Object.values(nodes) : []
  const first = fieldOf(node, 'errors', 0)
  const [message, input, kind] = [fieldOf(first, 'message'), fieldOf(first, 'extra_info', 'input_name'), fieldOf(node, 'class_type')]
  if (!isText(message)) return undefined
  return isText(input) && isText(kind) ? `${message} (${input} of ${kind})` : message
}

/** The message of the server behind OpenRouter, which is JSON inside a text. */
function innerFault(metadata: unknown): string | undefined {
  const raw = fieldOf(metadata, 'raw')
  if (!isText(raw)) return undefined
  try {
    const { message } = readFault({ error: fieldOf(JSON.parse(raw.slice(0, longestRaw)), 'error') })
    return message === '' ? undefined : message
  } catch {
    return undefined
  }
}

function fieldFault(detail: unknown): string | undefined {
  const [place, message] = [fieldOf(detail, 'loc'), fieldOf(detail, 'msg')]
  if (!isText(message)) return undefined
  const path = Array.isArray(place) ? place.filter((part) => part !== 'body').join('.') : ''
  return path === '' ? message : `${path}: ${message}`
}

function numberOf(status: unknown): number | undefined {
  const number = typeof status === 'string' ? Number(status) : status
  return typeof number === 'number' && number >= 400 && number < 600 ? number : undefined
}
