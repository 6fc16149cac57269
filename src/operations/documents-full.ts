import { ServiceError } from '../core/error.ts'

/**
 * For what an account may not keep besides.
 *
 * @param most Bytes that it may keep.
 * @param remedy What makes room, as the end of a sentence.
 */
export function documentsFull(most: number, remedy: string): ServiceError {
  return new ServiceError('quota_exceeded', `This account would exceed its ${Math.floor(most / 1e6)} MB (account-documents); ${remedy}.`, {
    retryAfterSeconds: 120,
  })
}
