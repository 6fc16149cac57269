import { ServiceError } from '../core/error.ts'

/** What a full disk answers: nobody's fault, and it may pass. */
export function diskFull(cause: unknown, { of = 'service' }: { readonly of?: 'service' | 'database' } = {}): ServiceError {
  return new ServiceError('server_is_overloaded', `The disk of the ${of} is full; try again later.`, { retryAfterSeconds: 30, cause })
}

/** Whether the system refused to write for want of room, of the disk or of what this user may fill. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
