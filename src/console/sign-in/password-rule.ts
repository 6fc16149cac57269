import { shortestPassword } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import { isCommonPassword } from './common-passwords.ts'

/** Fewer different characters than this are a pattern, such as ten spaces or "abababab12". */
const leastDifferent = 5
/** Words that are tried first with something behind them, besides those of {@link isCommonPassword}. */
const wordsTriedFirst = [
  'password',
  'passwort',
  'qwerty',
  'qwertz',
  'qwertyuiop',
  'qwertzuiop',
  'letmein',
  'administrator',
  'iloveyou',
  'welcome',
  'sepia',
  'changeme',
]
/** Characters that stand for letters they look like. */
const lookalikes: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }

/**
 * Refuses passwords that are guessed first: short but for spaces, patterns, runs and repeats, the person's own name or e-mail, and common passwords,
 * each with digits behind it or in place of letters too.
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
  if ([trimmed.toLowerCase(), plain(trimmed)].some((text) => repeated(text).length < Math.min(text.length, shortestPassword)))
    throw fault(field, 'Choose a password that does not repeat one part.')
  const words = [...own(name), ...own(email), ...email.split('@').flatMap(own)].filter((word) => word !== '')
  const forms = formsOf(trimmed)
  if (forms.some((form) => words.includes(form) || wordsTriedFirst.includes(form) || isCommonPassword(form)))
    throw fault(field, 'Choose a password that is not your name, your e-mail address or a common password.')
}

/** What a password is at heart: as it is and without what stands behind its last letter, with letters for what looks like them, and one part of what repeats. */
function formsOf(password: string): readonly string[] {
  const ends = [password, password.replace(/[^\p{L}]+$/u, '')]
  const forms = ends.flatMap((text) => [plain(text), plain(withLetters(text))]).filter((form) => form !== '')
  return [...forms, ...forms.map(repeated)]
}

function withLetters(text: string): string {
  return Array.from(text.toLowerCase(), (character) => lookalikes[character] ?? character).join('')
}

function own(text: string): readonly string[] {
  return [wordIn(text), plain(text)]
}

/** Letters and digits alone, in lower case. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Letters and digits alone, without the digits at its end: "Pass-Word 2026!" is "password". */
function wordIn(text: string): string {
  return plain(text).replace(/\d+$/, '') || plain(text)
}

/** The shortest part that a text is, over and over; the text itself where it is no such. */
function repeated(text: string): string {
  const at = `${text}${text}`.indexOf(text, 1)
  return text.slice(0, at)
}

/** Whether each character follows the one before, up or down, as in "1234567890" or "zyxwvutsrq"; nine is followed by nought. */
function isRun(text: string): boolean {
  const codes = Array.from(text.toLowerCase().replaceAll('90', '9:'), (character) => character.codePointAt(0) ?? 0)
  return [1, -1].some((step) => codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step))
}

function fault(field: string, message: string): ServiceError {
  return new ServiceError('validation_error', message, { param: field, faults: [{ path: [field], message, kind: 'password' }] })
}
