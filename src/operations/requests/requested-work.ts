import type { InferenceWork } from '../../core/inference.ts'
import { longestCall, longestExcerpt, type RequestedWork } from '../../core/requests/request-record.ts'

/** Characters of a text in a call from which on it is a picture or a file rather than words. */
const longestWords = 20_000
/** Longer words are no words. */
const longestToken = 500
/** What stands for such a text. */
const leftOut = '<base64>'

/** What is kept of asynchronous work: the beginning of its words, and the call that asks for it again. */
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

/** Long text of nothing but the letters of base64 is a file's. */
function isFile(text: string): boolean {
  return text.length > longestToken && /^[\w+/=,:;-]+$/.test(text)
}

/** PostgreSQL takes neither NUL nor half a pair of surrogates. */
function storable(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed()
}
