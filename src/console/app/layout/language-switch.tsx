import type { VNode } from 'preact'
import { chooseLanguage, type Language, language, languages } from '../language/language.ts'
import { t } from '../language/t.ts'
import { Segments } from '../parts/fields/segments.tsx'

const codes = Object.keys(languages).filter((code): code is Language => code in languages)
const choices = codes.map((code) => ({ value: code, label: languages[code], lang: code }))

/** Chooses the console's language; each is listed by its own name. */
export function LanguageSwitch(): VNode {
  return <Segments label={t`Language`} value={language} options={choices} onChange={chooseLanguage} />
}
