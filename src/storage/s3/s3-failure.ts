import { ServiceError } from '../../core/error.ts'

/** What a store that does not answer, or not in time, means for a caller: nobody's fault, and it passes. */
export function s3Unavailable(cause: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', 'The store of outputs did not respond in time; try again later.', {
    retryAfterSeconds: 5,
    cause,
  })
}

/** What a server that lets the service do nothing means for a caller: no more than one that is away, since it is its operator's to mend. */
export function s3Refused(cause: unknown): ServiceError {
  const message = 'The store of outputs rejects the service; try again later. The operator finds the cause in the log.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 30, cause })
}

/** What bytes that are not there mean for a caller. */
export function unreadableOutput(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'The stored output cannot be read; send the request again.', { cause })
}

/** What bytes that are not those that were stored mean for a caller. */
export function damagedOutput(key: string): ServiceError {
  const cause = new Error(`${key} is not what was stored there`)
  return new ServiceError('internal_error', 'The stored output is damaged; send the request again.', { cause })
}

/** A bucket and who may use it. */
export interface S3Address {
  /** Origin of the server, such as `https://s3.example.com`. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}
