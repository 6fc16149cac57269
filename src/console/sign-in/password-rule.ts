import { shortestPassword } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'

/** Fewer different characters than this are a pattern, such as ten spaces or "abababab12". */
const leastDifferent = 5
/** What of the words everybody tries first is long enough to pass the other rules. */
const wordsTriedFirst = [
  'password',
  'passwort',
  'qwertyuiop',
  'qwertzuiop',
  'letmein',
  'administrator',
  'iloveyou',
  'welcome',
  'sepia',
  'changeme',
]

/**
 * Refuses passwords that are guessed first: short but for spaces, patterns and runs, the person's own name or e-mail, and common words,
 * each with digits behind it too.
 *
 * @param field The field at fault.
 * @throws {ServiceError} `validation_error`.
 */
export function refuseGuessable(
  password: string,
  { field, name, email }: { readonly field: string; readonly name: string; readonly email: string },
): void {
  const trimmed = password.normalize('NFKC').trim()
  if (trimmed.length < shortestPassword)
    throw fault(field, `Choose a password of at least ${shortestPassword} characters, not counting spaces at its ends.`)
  if (new Set(trimmed.toLowerCase()).size < leastDifferent || isRun(trimmed))
    throw fault(field, `Choose a password with at least ${leastDifferent} different characters that are not a sequence.`)
  const core = wordIn(trimmed)
  const own = [name, email, ...email.split('@')].map(wordIn)
  if (core !== '' && [...own, ...wordsTriedFirst].includes(core))
    throw fault(field, 'Choose a password that is not your name, your e-mail address or a common password.')
}

/** Letters and digits alone, without the digits at its end: "Pass-Word 2026!" is "password". */
function wordIn(text: string): string {
  const plain = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return plain.replace(/\d+$/, '') || plain
}

/** Whether each character follows the one before, up or down, as in "1234567890" or "zyxwvutsrq"; nine is followed by nought. */
function isRun(text: string): boolean {
  const codes = Array.from(text.toLowerCase().replaceAll('90', '9:'), (character) => character.codePointAt(0) ?? 0)
  return [1, -1].some((step) => codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step))
}

function fault(field: string, message: string): ServiceError {
  return new ServiceError('validation_error', message, { param: field, faults: [{ path: [field], message, kind: 'password' }] })
}
