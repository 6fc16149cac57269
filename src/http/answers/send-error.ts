import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, toErrorRecord } from '../../core/error.ts'
import { isReceived } from '../body/read-body.ts'
import { errorReaderOf } from '../caller.ts'
import { type ErrorBody, toErrorBody } from '../faults/error-body.ts'
import { errorStatus } from '../faults/error-status.ts'
import { chatWords, type FieldWords, fieldIn, sentenceIn, wordsBeside } from '../faults/field-words.ts'
import { toA1111Error } from '../wire/a1111/a1111-error.ts'
import { toNativeError } from '../wire/llama-cpp/native-error.ts'
import { toMessageError } from '../wire/messages/message-error.ts'
import { toOllamaError } from '../wire/ollama/ollama-error.ts'
import { isA1111Surface, isMessagesSurface, isNativeSurface, isOllamaSurface, isResponsesSurface } from './surface.ts'

/** The largest Retry-After, in seconds. */
const longestRetrySeconds = 120

/** Answers with the error's body, status and headers. @returns The error as the service classifies it. */
export function sendError(reply: FastifyReply, thrown: unknown): unknown {
  const error = fromFrameworkError(thrown)
  const { code } = toErrorRecord(error)
  const status = errorStatus[code]
  reply.code(status).header('content-type', 'application/json; charset=utf-8')
  if (status === 401) reply.header('www-authenticate', challenge(code))
  const seconds = error instanceof ServiceError ? (error.retryAfterSeconds ?? defaultRetry[status]) : undefined
  if (seconds !== undefined) reply.header('retry-after', String(Math.min(longestRetrySeconds, Math.max(1, Math.ceil(seconds)))))
  reply.send(JSON.stringify(bodyFor(reply.request, error)))
  return error
}

/** An error in the shape of the route's API. */
function bodyFor(request: FastifyRequest, error: unknown): object {
  if (isMessagesSurface(request)) return toMessageError(toErrorRecord(error), request.id)
  if (isA1111Surface(request)) return toA1111Error(error, errorReaderOf(request))
  if (isOllamaSurface(request)) return toOllamaError(error, errorReaderOf(request), wordsFor(request, chatWords.ollama))
  if (isResponsesSurface(request)) return inWords(wordsFor(request, chatWords.responses), toErrorBody(error, errorReaderOf(request)))
  return (isNativeSurface(request) ? toNativeError : toErrorBody)(error, errorReaderOf(request))
}

function wordsFor({ body }: FastifyRequest, words: FieldWords): FieldWords {
  return wordsBeside(words, isReceived(body) ? body.value : null)
}

function inWords(words: FieldWords, body: ErrorBody): ErrorBody {
  const { param, message } = body.error
  return { ...body, error: { ...body.error, param: param && fieldIn(words, param), message: sentenceIn(words, message) } }
}

/** Retry-After in seconds for errors that do not state one, by status. */
const defaultRetry: Readonly<Record<number, number>> = { 429: 1, 503: 1 }

/** Without a token, the challenge has no error code (RFC 6750, section 3.1). */
function challenge(code: string): string {
  return code === 'missing_token' ? 'Bearer realm="sepia"' : `Bearer realm="sepia", error="invalid_token"`
}

/** Error codes of a system that has run out of file descriptors, memory, processes or threads. */
const exhausted: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ERR_WORKER_INIT_FAILED'])

/** Translates Fastify's own errors about a request and errors of an exhausted system; returns all others unchanged. */
function fromFrameworkError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  if (exhausted.has(error.code)) {
    const message = 'The service is out of resources for this request; try again in a few seconds.'
    return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 5, cause: error })
  }
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', 'Send the body as application/json.', { param: 'content-type', cause: error })
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return new ServiceError('invalid_request_error', 'Send the header Content-Type.', { param: 'content-type', cause: error })
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('payload_too_large', 'Send a smaller body.', { cause: error })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ServiceError('invalid_request_error', 'Send exactly as many bytes as Content-Length states.', {
        param: 'content-length',
        cause: error,
      })
    default:
      return error
  }
}
