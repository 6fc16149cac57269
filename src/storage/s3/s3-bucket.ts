import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import type { Clock } from '../../core/ports/clock.ts'
import type { Abortable } from '../../core/waiting.ts'
import { outputsRefused, outputsUnavailable } from '../output-faults.ts'

/** A bucket with credentials. */
export interface S3Address {
  /** Origin of the server, such as `https://s3.example.com`. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

/** One call whose answer fits into memory. */
export interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST'
  /** Absent = the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | undefined
  /** Maximum size of the answer in bytes; default 1 MiB. */
  readonly answerBytes?: number
}

export interface S3Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

export interface S3BucketSettings {
  readonly address: S3Address
  readonly clock: Clock
  /** 0 to 1, for the jitter of retries. */
  readonly random: () => number
  /** Replaces `fetch`; absent = direct connections. */
  readonly fetch?: typeof fetch | undefined
}

/** Time limit per attempt, plus a second for each megabyte transferred. */
const tryMs = 2000
const msPerByte = 1 / 1000
/** Clock difference worth correcting; servers reject signatures that are off by 15 minutes. */
const worthCorrectingMs = 60_000
const firstPauseMs = 100
const longestPauseMs = 1000
const defaultAnswerBytes = 1024 * 1024
/** Statuses to retry, besides those from 500; 409 means two concurrent conditional writes. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429])
/** Codes of a 400 to retry: the bytes were late or corrupted. */
const passingCodes: ReadonlySet<string | undefined> = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
])
/** Statuses that callers handle. */
const meant: ReadonlySet<number> = new Set([404, 412, 416])

/**
 * Calls an S3 server: signs, limits the time per attempt and in total (8 s, more for transfers over a megabyte), and retries temporary
 * failures. It corrects a wrong local clock by the server's answers.
 */
export class S3Bucket {
  readonly #client: AwsClient
  readonly #base: string
  readonly #clock: Clock
  readonly #random: () => number
  readonly #fetch: typeof fetch
  /** Server time minus local time. */
  #offsetMs = 0

  constructor({ address, clock, random, fetch: ask = fetch }: S3BucketSettings) {
    const { accessKey: accessKeyId, secretKey: secretAccessKey, region, endpoint, bucket } = address
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
    this.#base = `${endpoint}/${bucket}`
    this.#clock = clock
    this.#random = random
    this.#fetch = ask
  }

  /**
   * Returns the server's answer: a success, 404, 412 or 416.
   *
   * @throws {ServiceError} `server_is_overloaded` if there is none in time, or the server rejects the service as a whole.
   * @throws {Error} with the server's code if it refuses this call and retrying does not help.
   */
  async call(call: S3Call, { signal }: Abortable): Promise<S3Answer> {
    const moved = Math.max(call.body?.length ?? 0, call.answerBytes ?? defaultAnswerBytes)
    const limitMs = tryMs + Math.ceil(moved * msPerByte)
    const until = this.#clock.now() + limitMs * 2 + longestPauseMs
    let corrected = false
    for (let round = 0; ; round++) {
      const left = Math.min(limitMs, until - this.#clock.now())
      const answer = await this.#try(call, left, signal).catch((error: unknown) => {
        signal.throwIfAborted()
        return { failed: error }
      })
      const advice = 'failed' in answer ? undefined : adviceFor(call, answer)
      const isPassing = 'failed' in answer || passes(call, answer)
      if (!isPassing && advice === undefined && (isSuccess(answer.status) || meant.has(answer.status))) return answer
      if (!isPassing) {
        if (corrected || answer.status !== 403 || !this.#learnTime(answer)) {
          const refusal = describe(call, answer, advice)
          throw advice === undefined ? refusal : outputsRefused(refusal)
        }
        corrected = true
        continue
      }
      const cause = 'failed' in answer ? answer.failed : describe(call, answer)
      const pause = this.#random() * Math.min(longestPauseMs, firstPauseMs * 2 ** round)
      if (this.#clock.now() + pause >= until) throw outputsUnavailable(cause)
      await this.#clock.wait(pause, { signal })
    }
  }

  async #try({ method, key, query, headers, body, answerBytes }: S3Call, limitMs: number, signal: AbortSignal): Promise<S3Answer> {
    const url = new URL(key === undefined ? this.#base : `${this.#base}/${key}`)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const over = new AbortController()
    const late = AbortSignal.any([signal, over.signal])
    const inTime = new AbortController()
    const alarm = this.#clock.wait(Math.max(1, limitMs), { signal: AbortSignal.any([signal, inTime.signal]) }).then(
      () => over.abort(new Error(`no answer within ${Math.round(limitMs)} ms`)),
      () => {},
    )
    try {
      const datetime = new Date(this.#clock.now() + this.#offsetMs).toISOString().replace(/[:-]|\.\d{3}/g, '')
      const sha256 = createHash('sha256')
        .update(body ?? '')
        .digest('hex')
      const request = await this.#client.sign(url.href, {
        method,
        headers: { ...headers, 'x-amz-content-sha256': sha256 },
        body: body ?? null,
        aws: { datetime },
      })
      const response = await this.#fetch(request, { signal: late, redirect: 'manual' })
      const content = await readWhole(response, answerBytes ?? defaultAnswerBytes)
      return { status: response.status, headers: response.headers, body: content }
    } finally {
      inTime.abort()
      await alarm
    }
  }

  /** Whether the answer's time differs from the signed one enough to explain a refusal. */
  #learnTime({ headers }: S3Answer): boolean {
    const offsetMs = Date.parse(headers.get('date') ?? '') - this.#clock.now()
    if (Number.isNaN(offsetMs) || Math.abs(offsetMs - this.#offsetMs) < worthCorrectingMs) return false
    this.#offsetMs = offsetMs
    return true
  }
}

/** Reads the body, failing as soon as it exceeds the limit. */
async function readWhole(response: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > most) throw new Error(`the answer has more than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function describe({ method, key }: S3Call, answer: S3Answer, advice?: string): Error {
  const what = `The S3 server answered ${answer.status} (${codeOf(answer) ?? 'no code'}) to ${method} ${key ?? 'of the bucket'}`
  return new Error(advice === undefined ? `${what}.` : `${what}; ${advice}.`)
}

/** The fix if the server rejects the service rather than this call; undefined otherwise. */
function adviceFor({ method, key }: S3Call, answer: S3Answer): string | undefined {
  const { status } = answer
  if (status === 401 || status === 403) return "correct the key and secret of s3-url, and check the key's permissions"
  if (status >= 300 && status < 400) return 'the bucket is at another address: correct the address or region of s3-url'
  // A request for the bucket itself checks its existence; an answer to HEAD has no code.
  if (status !== 404 || key === undefined || method === 'HEAD') return undefined
  const code = codeOf(answer)
  if (code === 'NoSuchBucket') return 'create the bucket again, or correct s3-url'
  return code === undefined ? 'no S3 server answers there: correct s3-url, or check the proxy in front of it' : undefined
}

function codeOf({ body }: S3Answer): string | undefined {
  return /<Code>([\w.]{1,100})<\/Code>/.exec(body.toString('utf8'))?.[1]
}

function passes(call: S3Call, answer: S3Answer): boolean {
  if (isSuccess(answer.status)) return isErrorInSuccess(call, answer)
  return answer.status >= 500 || passing.has(answer.status) || passingCodes.has(codeOf(answer))
}

/** Whether a success contains an error, which S3 may send after a delay. Object contents are never inspected. */
function isErrorInSuccess({ method, key }: S3Call, { body }: S3Answer): boolean {
  const isObject = method === 'GET' && key !== undefined
  return !isObject && /^\s*(?:<\?xml[^>]*>\s*)?<Error[\s>]/.test(body.toString('utf8', 0, 1000))
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}
