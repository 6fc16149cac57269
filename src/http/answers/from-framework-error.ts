import { ServiceError } from '../../core/error.ts'

/** What the system reports when it has no file descriptors, memory, processes or threads left. */
const exhausted: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ERR_WORKER_INIT_FAILED'])

/** Reads the few errors that Fastify itself raises about a request, and what a system without room reports; everything else is returned as it is. */
export function fromFrameworkError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  if (exhausted.has(error.code)) {
    const message = 'The machine of the service has no room for this request at the moment; try again in a few seconds.'
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
      return new ServiceError('invalid_request_error', 'Send as many bytes as Content-Length says.', {
        param: 'content-length',
        cause: error,
      })
    default:
      return error
  }
}
