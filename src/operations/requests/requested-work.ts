import type { InferenceWork } from '../../core/inference.ts'
import { longestCall, longestExcerpt, type RequestedWork } from '../../core/requests/request-record.ts'

/** Texts longer than this are treated as pictures or files. */
const longestWords = 20_000
/** Maximum characters of a word. */
const longestToken = 500
/** Replaces such a text. */
const leftOut = '<base64>'

/** The stored content of asynchronous work: an excerpt, and the call for repeating it. */
export function requestedWork(work: InferenceWork, call: { readonly path: string; readonly body: unknown } | null): RequestedWork {
  const text = call === null ? null : JSON.stringify({ path: call.path, body: withoutFiles(call.body) })
  return {
    excerpt: storable(wordsOf(work).slice(0, longestExcerpt)),
    call: text === null || text.length > longestCall ? null : text,
  }
}

function wordsOf(work: InferenceWork): string {
  if (work.kind === 'image') return work.request.prompt
  if (work.kind === 'enlargement') return ''
  if (work.kind === 'embedding') return work.request.inputs.find((input) => typeof input === 'string') ?? ''
  const { input } = work.request
  if (input.type === 'prompt') return input.prompt
  return input.messages.findLast(({ role }) => role === 'user')?.content ?? ''
}

function withoutFiles(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestWords || isFile(value) ? leftOut : storable(value)
  if (Array.isArray(value)) return value.map(withoutFiles)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storable(name), withoutFiles(each)]))
}

/** Long texts of base64 characters only are files. */
function isFile(text: string): boolean {
  return text.length > longestToken && /^[\w+/=,:;-]+$/.test(text)
}

/** PostgreSQL accepts neither NUL nor lone surrogates. */
function storable(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed()
}
