import { keep, readKept } from '../browser/browser-storage.ts'

/** The console's languages, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languages

const key = 'sepia.language'

/** The language of this page: the one chosen in this browser, else the browser's first preference that the console supports, else English. */
export const language: Language = [readKept(key), ...wished().map((tag) => tag.split('-')[0])].find(isSpoken) ?? 'en'

/** The browser's regional variant of the language (`de-AT`), for dates and numbers. */
export const locale: string = wished().find((tag) => tag.split('-')[0] === language) ?? language

/** Sets the language for this and later visits, and reloads the page, so that no text of the old one remains. */
export function chooseLanguage(next: Language): void {
  keep(key, next)
  location.reload()
}

/** The browser's preferred languages, best first; empty outside a browser. */
function wished(): readonly string[] {
  return 'document' in globalThis ? (navigator.languages ?? []) : []
}

function isSpoken(code: string | null | undefined): code is Language {
  return typeof code === 'string' && Object.hasOwn(languages, code)
}
