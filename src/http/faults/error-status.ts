import type { ErrorCode } from '../../core/error.ts'

/** The HTTP status of every error code. A test keeps docs/errors.md equal to this table. */
export const errorStatus = {
  invalid_json: 400,
  invalid_request_error: 400,
  context_length_exceeded: 400,
  unsupported_parameter: 400,
  missing_token: 401,
  invalid_token: 401,
  token_expired: 401,
  token_revoked: 401,
  insufficient_scope: 403,
  model_not_found: 404,
  request_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  not_completed: 409,
  idempotency_conflict: 409,
  request_cancelled: 409,
  response_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  unsupported: 422,
  rate_limit_exceeded: 429,
  concurrency_limit_exceeded: 429,
  quota_exceeded: 429,
  internal_error: 500,
  inference_failed: 500,
  numerical_error: 500,
  server_is_overloaded: 503,
  model_loading: 503,
  shutting_down: 503,
  inference_timeout: 504,
} as const satisfies Record<ErrorCode, number>

export type ErrorStatus = (typeof errorStatus)[ErrorCode]

/** The `type` of an error object: the coarse categories that OpenAI's clients expect. */
export const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  409: 'conflict_error',
  410: 'not_found_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
  504: 'server_error',
} as const satisfies Record<ErrorStatus, string>
