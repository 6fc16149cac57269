import { readFile } from 'node:fs/promises'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { ServiceError } from '../../core/error.ts'
import type { UpstreamAddress } from '../../core/model.ts'
import { makeAnswerError, makeBrokenError } from './upstream-error.ts'

/** The longest body of an error that is read. */
const longestError = 64 * 1024
/** How long the end of an answer that we need no more of may take. */
const longestDrainMs = 1000

/** What is posted. */
export interface UpstreamBody {
  readonly type: string
  readonly bytes: string | Uint8Array
}

/** Kept-alive connections to one upstream. */
export class UpstreamConnection implements Disposable {
  readonly #address: UpstreamAddress
  readonly #key: string | null
  readonly #agent: HttpAgent

  private constructor(address: UpstreamAddress, key: string | null) {
    this.#address = address
    this.#key = key
    this.#agent = address.url.startsWith('https:') ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  }

  static async open(address: UpstreamAddress): Promise<UpstreamConnection> {
    const key = address.keyFile === null ? null : (await readFile(address.keyFile, 'utf8')).trim()
    return new UpstreamConnection(address, key)
  }

  /**
   * Sends a request below the upstream's base address and answers its text as it arrives.
   *
   * @param body Posted as JSON; null for a GET.
   * @throws {ServiceError} what the answer's status means, or `inference_failed` when none comes.
   */
  async send(path: string, body: unknown, { signal }: { readonly signal: AbortSignal }): Promise<AsyncIterable<string>> {
    const sent = body === null ? null : { type: 'application/json', bytes: JSON.stringify(body) }
    const response = await this.#request(path, sent, signal)
    response.setEncoding('utf8')
    if (response.statusCode === 200) return this.#explainBreaks(response, signal)
    let text = ''
    for await (const piece of this.#explainBreaks(response, signal)) text = (text + piece).slice(0, longestError)
    throw makeAnswerError(response.statusCode ?? 0, text, response.headers['retry-after'])
  }

  /**
   * Sends a request below the upstream's base address and answers its whole body.
   *
   * @param sent null for a GET.
   * @throws {ServiceError} what the answer's status means, or `inference_failed` when none comes or it is over `mostBytes`.
   */
  async exchange(
    path: string,
    sent: UpstreamBody | null,
    { signal, mostBytes }: { readonly signal: AbortSignal; readonly mostBytes: number },
  ): Promise<Buffer> {
    const response = await this.#request(path, sent, signal)
    const status = response.statusCode ?? 0
    const accepted = status >= 200 && status < 300
    const pieces: Buffer[] = []
    let length = 0
    try {
      for await (const piece of response) {
        pieces.push(piece)
        length += piece.length
        if (!accepted && length > longestError) break
        if (length > mostBytes) throw makeBrokenError(`sent more than ${mostBytes} bytes`)
      }
    } catch (cause) {
      signal.throwIfAborted()
      throw cause instanceof ServiceError ? cause : makeBrokenError('broke its answer off', cause)
    }
    signal.throwIfAborted()
    const body = Buffer.concat(pieces)
    if (!accepted) throw makeAnswerError(status, body.toString('utf8'), response.headers['retry-after'])
    return body
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  #request(path: string, body: UpstreamBody | null, signal: AbortSignal): Promise<IncomingMessage> {
    const url = `${this.#address.url}${path}`
    const headers = {
      accept: '*/*',
      ...(body !== null && { 'content-type': body.type, 'content-length': Buffer.byteLength(body.bytes) }),
      ...(this.#key !== null && { authorization: authorization(this.#key) }),
    }
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, method: body === null ? 'GET' : 'POST', headers, signal }
      const sent = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options)
      sent.once('response', resolve)
      sent.once('error', (cause) => reject(signal.aborted ? signal.reason : makeBrokenError('cannot be reached', cause)))
      sent.end(body?.bytes)
    })
  }

  async *#explainBreaks(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    try {
      yield* response.iterator({ destroyOnReturn: false })
    } catch (cause) {
      signal.throwIfAborted()
      throw makeBrokenError('broke its answer off', cause)
    } finally {
      drain(response)
    }
    signal.throwIfAborted()
  }
}

/** A key of the form `name:password` is a person's, any other a bearer token. */
function authorization(key: string): string {
  return key.includes(':') ? `Basic ${Buffer.from(key).toString('base64')}` : `Bearer ${key}`
}

/** Reads what is left of an answer, mostly its end, so that its connection can serve the next request; but not for ever. */
function drain(response: IncomingMessage): void {
  if (response.destroyed) return
  const deadline = setTimeout(() => response.destroy(), longestDrainMs)
  response.once('close', () => clearTimeout(deadline))
  response.resume()
}
