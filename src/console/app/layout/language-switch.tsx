import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { chooseLanguage, type Language, language, languages } from '../language/language.ts'
import { t } from '../language/t.ts'

const codes = Object.keys(languages).filter((code): code is Language => code in languages)

/** Chooses the console's language; each is listed by its own name. */
export function LanguageSwitch(): VNode {
  const name = useId()
  return (
    <fieldset>
      <legend class="hidden-text">{t`Language`}</legend>
      <div class="segments">
        {codes.map((code) => (
          <label key={code} lang={code}>
            <input type="radio" name={name} checked={code === language} onChange={() => chooseLanguage(code)} />
            <span>{languages[code]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
