import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import type { ServiceError } from '../../core/error.ts'
import { decompressAnswer, isCompressed, readToBreak } from './decompress-answer.ts'
import type { AnswerLimits } from './limit-time.ts'
import { makeAnswerError } from './upstream-error.ts'

/** Maximum bytes read from the body of an error. */
const longestError = 64 * 1024
/** Time allowed to drain a response that is no longer needed. */
const longestDrainMs = 1000

/** A response and the time limits of its content. */
export interface Received {
  readonly response: IncomingMessage
  readonly limits: AnswerLimits
}

/** The bytes of a response, decompressed. */
export function contentOf({ response, limits }: Received): AsyncIterable<Buffer> {
  return isCompressed(response) ? decompressAnswer(response, limits) : response
}

/** The text of a response as it arrives, decompressed. */
export function textOf(received: Received): AsyncIterable<string> {
  const { response } = received
  return isCompressed(response) ? decompressText(received) : readToBreak<string>(response.setEncoding('utf8'))
}

async function* decompressText({ response, limits }: Received): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8')
  for await (const piece of decompressAnswer(response, limits)) yield decoder.write(piece)
  yield decoder.end()
}

/**
 * The error of a response that rejects the request. Of its body, what arrives within one second is read, up to 64 KB; the status alone is enough.
 */
export async function readRefusal(
  received: Received,
  { signal, address, advice }: { readonly signal: AbortSignal; readonly address: string; readonly advice?: string | undefined },
): Promise<ServiceError> {
  const { response } = received
  let text = ''
  const late = setTimeout(() => response.destroy(), longestDrainMs)
  try {
    for await (const piece of isCompressed(response) ? decompressText(received) : response.setEncoding('utf8')) {
      text = (text + piece).slice(0, longestError)
      if (text.length === longestError) break
    }
  } catch {
    signal.throwIfAborted()
  } finally {
    clearTimeout(late)
  }
  return makeAnswerError(response.statusCode ?? 0, text, response.headers['retry-after'], { address, advice })
}

/** Drains the rest of a response for a limited time, so that its connection can be reused. */
export function drain(response: IncomingMessage): void {
  if (response.destroyed || response.readableEnded) return
  const deadline = setTimeout(() => response.destroy(), longestDrainMs)
  response.once('close', () => clearTimeout(deadline))
  response.resume()
}
