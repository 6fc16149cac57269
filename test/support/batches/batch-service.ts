import assert from 'node:assert/strict'
import { createSystemClock } from '../../../src/composition/system-clock.ts'
import type { BatchEndpoint } from '../../../src/core/files/batch.ts'
import type { DocumentStore } from '../../../src/core/ports/document-store.ts'
import type { encodeBatch } from '../../../src/http/wire/batches/batch.ts'
import { createBatchWords } from '../../../src/http/wire/batches/batch-words.ts'
import { publishedBodies } from '../../../src/http/wire/chat/sampling-fields.ts'
import type { encodeFile } from '../../../src/http/wire/files/file.ts'
import { InferenceEvents } from '../../../src/operations/deferred/inference-events.ts'
import { createFakeCatalog } from '../../../src/runtimes/fake/fake-catalog.ts'
import { advanceBatches } from '../../../src/worker/batches/advance-batches.ts'
import { type HttpService, startHttpService } from '../http-service.ts'
import { createMemoryOutputs } from '../memory/create-memory-outputs.ts'
import { unobservedWork } from '../memory/unobserved.ts'

export type BatchObject = ReturnType<typeof encodeBatch>
export type FileObject = ReturnType<typeof encodeFile>

/** A line of a batch's results or errors. */
export interface ResultLine {
  readonly id: string
  readonly custom_id: string
  readonly response: {
    readonly status_code: number
    readonly request_id: string
    readonly body: { readonly [name: string]: unknown }
  } | null
  readonly error: { readonly code: string } | null
}

/** The public interface with a worker, whose batches advance only when a test says so. */
export interface BatchService extends AsyncDisposable {
  readonly http: HttpService
  /** Lines parsed so far. */
  readonly linesRead: number
  /** Advances every batch once. */
  advance(more?: { readonly documents?: DocumentStore; readonly now?: () => number }): Promise<void>
  /** Sends a file and returns it. */
  upload(content: string, more?: { readonly purpose?: string; readonly token?: string }): Promise<FileObject>
  /** Creates a batch of these lines. */
  send(lines: readonly string[], more?: { readonly endpoint?: BatchEndpoint; readonly token?: string }): Promise<BatchObject>
  find(id: string, token?: string): Promise<BatchObject>
  cancel(id: string): Promise<BatchObject>
  /** Advances until a batch is in one of the final states. */
  finish(id: string): Promise<BatchObject>
  /** Advances until so many lines of a batch are complete. */
  complete(id: string, lines: number, token?: string): Promise<void>
  /** The lines of a file; none if there is no file. */
  read(fileId: string | null, token?: string): Promise<readonly ResultLine[]>
}

const { signal } = new AbortController()

export async function startBatchService(): Promise<BatchService> {
  const clock = createSystemClock()
  const outputs = createMemoryOutputs({ clock })
  const events = new InferenceEvents(clock)
  const http = await startHttpService({ worker: true, clock, overrides: { outputs, events }, limits: { maxPending: 20 } })
  const words = createBatchWords({ catalogFor: () => createFakeCatalog(), clock }, { ...publishedBodies, imagePixels: 2 ** 24 })
  let linesRead = 0
  const batchWords: typeof words = {
    ...words,
    readLine(bytes, endpoint) {
      linesRead += 1
      return words.readLine(bytes, endpoint)
    },
  }
  const advance: BatchService['advance'] = ({ documents = http.store.documents, now = () => clock.now() } = {}) =>
    advanceBatches(
      {
        ...unobservedWork,
        ...http.store,
        documents,
        outputs,
        events,
        clock: { ...clock, now },
        maxDocumentBytes: 1e9,
        batchWords,
        onFault: (_, error) => {
          throw error
        },
      },
      { signal },
    )
  const textOf = async (answer: Promise<Response>): Promise<string> => {
    const { ok, status } = await answer
    const text = await (await answer).text()
    assert.ok(ok, `${status} ${text}`)
    return text
  }
  const upload: BatchService['upload'] = async (content, { purpose = 'batch', token = http.token } = {}) => {
    const body = new FormData()
    body.append('purpose', purpose)
    body.append('file', new Blob([content]), 'in.jsonl')
    const headers = { authorization: `Bearer ${token}` }
    return JSON.parse(await textOf(fetch(`${http.url}/v1/files`, { method: 'POST', body, headers })))
  }
  const find: BatchService['find'] = async (id, token = http.token) => JSON.parse(await textOf(http.fetch(`/v1/batches/${id}`, { token })))
  return {
    http,
    get linesRead() {
      return linesRead
    },
    advance,
    upload,
    async send(lines, { endpoint = '/v1/chat/completions', token = http.token } = {}) {
      const { id } = await upload(lines.join('\n'), { token })
      const wanted = { input_file_id: id, endpoint, completion_window: '24h', metadata: { for: 'a test' } }
      return JSON.parse(await textOf(http.fetch('/v1/batches', { json: wanted, token })))
    },
    find,
    cancel: async (id) => JSON.parse(await textOf(http.fetch(`/v1/batches/${id}/cancel`, { method: 'POST' }))),
    async finish(id) {
      for (;;) {
        await advance()
        const batch = await find(id)
        if (!['validating', 'in_progress', 'cancelling'].includes(batch.status)) return batch
      }
    },
    async complete(id, lines, token) {
      while ((await find(id, token)).request_counts.completed < lines) await advance()
    },
    async read(fileId, token = http.token) {
      if (fileId === null) return []
      const text = await textOf(http.fetch(`/v1/files/${fileId}/content`, { token }))
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}
