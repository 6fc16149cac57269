import { keep, readKept } from '../browser/browser-storage.ts'

/** What the console speaks, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languages

const key = 'sepia.language'

/**
 * The language of this page: the one that was chosen in this browser, else the first of the browser's own that the
 * console speaks, else English.
 */
export const language: Language = [readKept(key), ...wished().map((tag) => tag.split('-')[0])].find(isSpoken) ?? 'en'

/** How this language is written where the browser's person lives (`de-AT`), for dates and numbers. */
export const locale: string = wished().find((tag) => tag.split('-')[0] === language) ?? language

/** Takes a language now and for later visits of this browser. The page loads again, so that no text of the other stays. */
export function chooseLanguage(next: Language): void {
  keep(key, next)
  location.reload()
}

/** What the browser asks for, best first; nothing where there is no browser around the page. */
function wished(): readonly string[] {
  return 'document' in globalThis ? (navigator.languages ?? []) : []
}

function isSpoken(code: string | null | undefined): code is Language {
  return typeof code === 'string' && Object.hasOwn(languages, code)
}
