import type { ErrorRecord } from '../../core/error.ts'
import type { InferenceWork } from '../../core/inference.ts'
import type { RequestLog } from '../../core/ports/request-log.ts'
import { longestCall, longestExcerpt, type RequestedWork, type RequestRecord } from '../../core/requests/request-record.ts'
import type { UsageEntry } from '../../core/usage.ts'
import { neverAborted } from '../../core/waiting.ts'

/** Maximum number of waiting records; more are left out, since answers never wait for them. */
const maxWaiting = 10_000
const maxAtOnce = 500

/**
 * Records requests in the background. Records that arrive during a write form the next one, so that many requests need few commits. A crash
 * loses unwritten records.
 */
export class RequestRecorder implements AsyncDisposable {
  readonly #log: RequestLog
  readonly #onFault: (error: unknown) => void
  #waiting: RequestRecord[] = []
  #writing: Promise<void> | null = null

  constructor(log: RequestLog, { onFault }: { readonly onFault: (error: unknown) => void }) {
    this.#log = log
    this.#onFault = onFault
  }

  record(record: RequestRecord): void {
    if (this.#waiting.length >= maxWaiting) return
    this.#waiting.push(record)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  /** Resolves when all recorded requests are written. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const records = this.#waiting.slice(0, maxAtOnce)
      this.#waiting = this.#waiting.slice(maxAtOnce)
      await this.#log.append(records, neverAborted).catch(this.#onFault)
    }
  }
}

/** The record of a synchronous request, made from its usage entry and its error, without content. */
export function finishedRequest(id: string, entry: UsageEntry, error: ErrorRecord | null): RequestRecord {
  const { accountId, tokenId, kind, model, outcome, promptTokens, completionTokens, images, firstTokenMs } = entry
  const durationMs = Math.round(entry.durationMs)
  const result = {
    outcome,
    promptTokens,
    completionTokens,
    images,
    durationMs,
    firstTokenMs: firstTokenMs === null ? null : Math.round(firstTokenMs),
    error,
  }
  return { id, accountId, tokenId, kind, model, at: Math.round(entry.at) - durationMs, requested: null, result }
}

/** Longer texts are replaced by `<long text>`. */
const longestWords = 20_000
/** Maximum characters of a word. */
const longestToken = 500

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
  if (typeof value === 'string') return isFile(value) ? '<base64>' : value.length > longestWords ? '<long text>' : storable(value)
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
