import { ServiceError } from '../../../core/error.ts'

/**
 * The error of a query parameter.
 *
 * @param words What is wrong with it and what to send, behind its name.
 */
export function queryFault(param: string, words: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`${param}\` ${words}`, { param })
}
