import Type, { type TString } from 'typebox'
import { ServiceError } from '../core/error.ts'

/** The format of an id made by the page: 24 random letters and digits. */
export const pageMadeIdPattern = '[a-z0-9]{24}'

/** Such an id as a schema. */
export const pageMadeId: TString = Type.String({ pattern: `^${pageMadeIdPattern}$` })

/**
 * Reads such an id from a path.
 *
 * @throws {ServiceError} `not_found` for any other text, without a call to the store.
 */
export function checkPageMadeId(text: string, of: 'conversation' | 'preset'): string {
  if (new RegExp(`^${pageMadeIdPattern}$`).test(text)) return text
  throw new ServiceError('not_found', `This ${of} does not exist; its address is incomplete or changed.`)
}
