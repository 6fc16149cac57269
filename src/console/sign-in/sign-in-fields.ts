import Type from 'typebox'
import { shortestPassword } from '../../core/account.ts'
import { nameOnOneLine } from '../../core/text/visible-text.ts'

/** What people sign in with. */
export const emailField = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$', description: 'An e-mail address.' })
/** A name on one line with something to see. */
export const nameField = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: nameOnOneLine,
  description: 'A name on one line.',
})
/** A password to be kept from now on, as its hash. */
export const newPasswordField = Type.String({ minLength: shortestPassword, maxLength: 256, description: 'A new password.' })
/** A password to compare; whatever was typed may be wrong, but not endless. */
export const passwordField = Type.String({ maxLength: 256 })
/** What an authenticator app shows, or a recovery code. */
export const codeField = Type.String({ minLength: 1, maxLength: 64 })
