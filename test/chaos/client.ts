import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Acknowledgement, AcknowledgementLog } from './acknowledgement-log.ts'
import type { ServiceProcess } from './service-process.ts'

/** How long a client waits for an answer before it asks again. */
const patienceMs = 8000

/** An output as a client got it. */
export interface FetchedOutput {
  readonly status: number
  readonly sha256: string
  readonly etag: string | null
}

/** A stubborn client: it asks again, with the same idempotency key, until it has an answer. */
export class Client {
  readonly #service: Pick<ServiceProcess, 'url' | 'token'>
  readonly #acknowledged: AcknowledgementLog

  constructor(service: Pick<ServiceProcess, 'url' | 'token'>, acknowledged: AcknowledgementLog) {
    this.#service = service
    this.#acknowledged = acknowledged
  }

  /** Submits once or several times in parallel; every 2xx must name the same inference. */
  async submit(key: string, request: { readonly path: string; readonly body: string }, { copies = 1 } = {}): Promise<string> {
    const ids = await Promise.all(Array.from({ length: copies }, () => this.#submitOne(key, request)))
    const [responseId = ''] = new Set(ids)
    for (const id of new Set(ids)) this.acknowledge({ key, responseId: id })
    return responseId
  }

  /** Writes down a promise that the service has made. */
  acknowledge(acknowledgement: Acknowledgement): void {
    this.#acknowledged.append(acknowledgement)
  }

  /** Waits until the inference is completed. */
  async waitFor(responseId: string): Promise<void> {
    for (;;) {
      const response = await this.ask(`/v1/requests/${responseId}?wait=5`)
      if (response === null) continue
      const record = await readAnswer(response)
      if (response.status >= 400 && response.status < 500) throw new Error(`Polling ${responseId} answered ${response.status}.`)
      if (record?.status === 'completed') return
    }
  }

  async fetchOutput(responseId: string): Promise<FetchedOutput> {
    for (;;) {
      const response = await this.ask(`/v1/responses/${responseId}`)
      const bytes = await response?.arrayBuffer().catch(() => null)
      if (!response || !bytes) continue
      // A service with too much to do rejects the request for now; the failure of an inference is what it has instead of an output.
      if (response.status >= 500 && !Buffer.from(bytes).includes('"inference_failed"')) {
        await pause(50)
        continue
      }
      const sha256 = createHash('sha256').update(Buffer.from(bytes)).digest('hex')
      return { status: response.status, sha256, etag: response.headers.get('etag') }
    }
  }

  /** One try; null when the service does not answer, after a short pause. */
  async ask(path: string, init: RequestInit = {}): Promise<Response | null> {
    try {
      const headers = { authorization: `Bearer ${this.#service.token}`, ...Object.fromEntries(new Headers(init.headers)) }
      return await fetch(this.#service.url + path, { ...init, headers, signal: AbortSignal.timeout(patienceMs) })
    } catch {
      await pause(50)
      return null
    }
  }

  async #submitOne(key: string, { path, body }: { readonly path: string; readonly body: string }): Promise<string> {
    const headers = { 'content-type': 'application/json', 'x-service-async': '1', 'idempotency-key': key }
    for (;;) {
      const response = await this.ask(path, { method: 'POST', headers, body })
      const answer = response === null ? null : await readAnswer(response)
      if (response?.status === 202 && answer?.response_id !== undefined) return answer.response_id
      if (response && response.status < 500) throw new Error(`Submitting ${key} answered ${response.status}: ${JSON.stringify(answer)}`)
      await pause(50)
    }
  }
}

/** The fields of an answer that a client looks at; null when the connection broke in the middle. */
async function readAnswer(response: Response): Promise<{ readonly status?: string; readonly response_id?: string } | null> {
  return response.json().then(
    (answer) => answer as { readonly status?: string; readonly response_id?: string },
    () => null,
  )
}
