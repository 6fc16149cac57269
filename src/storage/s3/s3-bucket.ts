import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import type { Clock } from '../../core/ports/clock.ts'
import { type S3Address, s3Refused, s3Unavailable } from './s3-failure.ts'

/** One call, whose answer fits into memory. */
export interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST'
  /** Absent = the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** Most bytes that the answer may have; default 1 MiB. */
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
  /** 0 to 1, for the jitter of repetitions. */
  readonly random: () => number
  /** How it is asked; absent = directly. */
  readonly fetch?: typeof fetch
}

/** Time for one try, besides a second for each megabyte that it moves. */
const tryMs = 2000
const msPerByte = 1 / 1000
/** Servers refuse signatures that are a quarter of an hour off. */
const worthCorrectingMs = 60_000
const firstPauseMs = 100
const longestPauseMs = 1000
const defaultAnswerBytes = 1024 * 1024
/** What is worth another try, besides all from 500 on; 409 is two conditional writes at once. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429])
/** The same for a 400: the bytes were late, or others than were sent. */
const passingCodes: ReadonlySet<string | undefined> = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
])
/** Answers that mean something to who asked. */
const meant: ReadonlySet<number> = new Set([404, 412, 416])

/**
 * Calls an S3 server: signs, limits the time of every try and of all together (8 s, and more where more than a megabyte moves), and repeats
 * what may pass. A machine whose clock is wrong learns the server's time from its answers.
 */
export class S3Bucket {
  readonly #client: AwsClient
  readonly #base: string
  readonly #clock: Clock
  readonly #random: () => number
  readonly #fetch: typeof fetch
  /** What the server's clock is ahead of ours. */
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
   * The server's answer: a success, 404, 412 or 416.
   *
   * @throws {ServiceError} `server_is_overloaded` when it gives none in time, or lets this service do nothing.
   * @throws {Error} naming the server's code when it refuses this call; repeating would not help.
   */
  async call(call: S3Call, { signal }: { readonly signal: AbortSignal }): Promise<S3Answer> {
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
          throw advice === undefined ? refusal : s3Refused(refusal)
        }
        corrected = true
        continue
      }
      const cause = 'failed' in answer ? answer.failed : describe(call, answer)
      const pause = this.#random() * Math.min(longestPauseMs, firstPauseMs * 2 ** round)
      if (this.#clock.now() + pause >= until) throw s3Unavailable(cause)
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
        ...(body === undefined ? {} : { body }),
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

  /** Whether the time of the answer differs from the signed one by so much that this may be the reason of the refusal. */
  #learnTime({ headers }: S3Answer): boolean {
    const offsetMs = Date.parse(headers.get('date') ?? '') - this.#clock.now()
    if (Number.isNaN(offsetMs) || Math.abs(offsetMs - this.#offsetMs) < worthCorrectingMs) return false
    this.#offsetMs = offsetMs
    return true
  }
}

/** The body, or an error as soon as it is longer than it may be. */
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

/** What to change where not one call is refused, but the service; undefined for everything else. */
function adviceFor({ method, key }: S3Call, answer: S3Answer): string | undefined {
  const { status } = answer
  if (status === 401 || status === 403) return "correct the key and secret of s3-url, and check the key's permissions"
  if (status >= 300 && status < 400) return 'the bucket is elsewhere: correct the address or region of s3-url'
  // A request for the bucket itself checks that it exists; an answer to HEAD has no code.
  if (status !== 404 || key === undefined || method === 'HEAD') return undefined
  const code = codeOf(answer)
  if (code === 'NoSuchBucket') return 'create the bucket again, or correct s3-url'
  return code === undefined ? 'no S3 server answers there: correct s3-url, or check the proxy in front of it' : undefined
}

function codeOf({ body }: S3Answer): string | undefined {
  return /<Code>([\w.]{1,100})<\/Code>/.exec(body.toString('utf8'))?.[1]
}

function passes(call: S3Call, answer: S3Answer): boolean {
  if (isSuccess(answer.status)) return failsLate(call, answer)
  return answer.status >= 500 || passing.has(answer.status) || passingCodes.has(codeOf(answer))
}

/** Whether a success ended in an error, as S3 allows itself to keep a connection open; what an object holds is nobody's error. */
function failsLate({ method, key }: S3Call, { body }: S3Answer): boolean {
  const isObject = method === 'GET' && key !== undefined
  return !isObject && /^\s*(?:<\?xml[^>]*>\s*)?<Error[\s>]/.test(body.toString('utf8', 0, 1000))
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}
