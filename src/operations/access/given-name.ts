import { ServiceError } from '../../core/error.ts'
import { isVisible } from '../../core/text/visible-text.ts'

/**
 * A name that people gave, trimmed.
 *
 * @param of What it names, as in "the token".
 * @throws {ServiceError} `validation_error` unless it has 1 to 100 characters, none of them a control character and one to see.
 */
export function readGivenName(name: string, of: string): string {
  const trimmed = name.trim()
  if (trimmed.length >= 1 && trimmed.length <= 100 && !/\p{Cc}/u.test(trimmed) && isVisible(trimmed)) return trimmed
  throw new ServiceError('validation_error', `Give ${of} a name of 1 to 100 characters on one line.`, { param: 'name' })
}
