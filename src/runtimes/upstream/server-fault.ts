import { isRecord } from '../../core/is-record.ts'

/** Characters of a message that go on to a client; servers repeat whole requests in theirs. */
const longestMessage = 1000

/** What a server says is wrong. */
export interface ServerFault {
  /** A sentence; empty where it says nothing. */
  readonly message: string
  /** What the server calls it. */
  readonly code: string
  /** The HTTP status that it means, where the fault itself tells, as in a stream that began with 200. */
  readonly status: number | null
}

/** What servers call faults that they give no number in a stream: TGI's and Anthropic's words, and OpenAI's. */
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
 * Reads what a server says is wrong, in whichever of the forms in use: OpenAI's `{"error": {"message", "type", "code"}}`, TGI's
 * `{"error": "…", "error_type"}`, older vLLM's `{"message", "code"}`, FastAPI's `{"detail": "…"}` and `{"detail": [{"loc", "msg"}]}`.
 */
export function readFault(value: unknown): ServerFault {
  const whole = fieldsOf(value)
  const inner = isRecord(whole.error) ? whole.error : whole
  const { code, http_status_code: status = code, type, error_type: kind = type } = inner
  const message = [inner.message, whole.error, whole.message, whole.detail, firstDetail(whole.detail)].find(
    (text) => typeof text === 'string',
  )
  return {
    message: sentence(String(message ?? '').trim()),
    code: String(code ?? kind ?? ''),
    status: numberOf(status) ?? statuses[String(code)] ?? statuses[String(kind)] ?? null,
  }
}

function sentence(text: string): string {
  if (text.length > longestMessage) return `${text.slice(0, longestMessage)}….`
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}

function firstDetail(detail: unknown): string | undefined {
  const first = fieldsOf(Array.isArray(detail) ? detail[0] : undefined)
  if (typeof first.msg !== 'string') return undefined
  const place = Array.isArray(first.loc) ? first.loc.filter((part) => part !== 'body').join('.') : ''
  return place === '' ? first.msg : `${place}: ${first.msg}`
}

function numberOf(status: unknown): number | undefined {
  const number = typeof status === 'string' ? Number(status) : status
  return typeof number === 'number' && number >= 400 && number < 600 ? number : undefined
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
