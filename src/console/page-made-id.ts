import Type, { type TString } from 'typebox'
import { ServiceError } from '../core/error.ts'

/** What an id that the page made is written like: 24 letters and digits at random. */
export const pageMadeIdPattern = '[a-z0-9]{24}'

/** Such an id as a field. */
export const pageMadeId: TString = Type.String({ pattern: `^${pageMadeIdPattern}$` })

/** Such an id out of a path. @throws {ServiceError} `not_found` for any other text, before a store sees it. */
export function checkPageMadeId(text: string, of: 'conversation' | 'preset'): string {
  if (new RegExp(`^${pageMadeIdPattern}$`).test(text)) return text
  throw new ServiceError('not_found', `This ${of} does not exist; its address is incomplete or changed.`)
}
