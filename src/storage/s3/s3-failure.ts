import { ServiceError } from '../../core/error.ts'

/** The error for a server that rejects the service; for callers the same as an unavailable one, since only the operator can fix it. */
export function s3Refused(cause: unknown): ServiceError {
  const message = 'The store of outputs rejects the service; try again later. The operator finds the cause in the log.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 30, cause })
}

/** A bucket with credentials. */
export interface S3Address {
  /** Origin of the server, such as `https://s3.example.com`. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}
