import type { ErrorRecord } from '../../../core/error.ts'
import { type ErrorStatus, errorStatus } from '../../faults/error-status.ts'

const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'invalid_request_error',
  410: 'not_found_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
} as const satisfies Record<ErrorStatus, string>

/** Makes Anthropic's tool runners send whole conversations. */
const noThreads = { error_code: 'thread_unsupported_request', unsupported: [] } as const

/** An error in Anthropic's format. */
export interface MessageError {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string; readonly details?: object | undefined }
  readonly request_id?: string | undefined
}

/** The error body of Anthropic's routes. */
export function toMessageError({ code, message, param }: ErrorRecord, requestId?: string): MessageError {
  return {
    type: 'error',
    error: {
      type: errorTypes[errorStatus[code]],
      message,
      details: code === 'unsupported_parameter' && param === 'thread' ? noThreads : undefined,
    },
    request_id: requestId,
  }
}
