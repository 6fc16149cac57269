import Type from 'typebox'
import { shortestPassword } from '../../core/account.ts'
import { nameOnOneLine } from '../../core/text/visible-text.ts'

/** The e-mail address for signing in. */
export const emailField = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$', description: 'An e-mail address.' })
/** A name on one line with visible characters. */
export const nameField = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: nameOnOneLine,
  description: 'A name on one line.',
})
/** A new password, which is stored as a hash. */
export const newPasswordField = Type.String({ minLength: shortestPassword, maxLength: 256, description: 'A new password.' })
/** A password to compare; only its length is limited. */
export const passwordField = Type.String({ maxLength: 256 })
/** A code from an authenticator app, or a recovery code. */
export const codeField = Type.String({ minLength: 1, maxLength: 64 })
