import type { ComponentChildren } from 'preact'
import type { Catalogue, Forms } from './catalogue.ts'
import { locale } from './language.ts'

/** Says texts, which stand in English where they are used, in the language of the page. */
export interface Translate {
  /** A text, with texts or numbers put in as they are: `` t`${name} is revoked.` `` A break of line is a space. */
  (english: TemplateStringsArray, ...values: readonly (string | number)[]): string
  /** A text with elements in it, to be shown as it is returned. */
  rich(english: TemplateStringsArray, ...values: readonly ComponentChildren[]): ComponentChildren
  /** A text in the form that a count takes, in which `#` stands for the count. */
  count(count: number, english: Forms & { readonly one: string }): string
}

/** How a catalogue says its texts; what it does not hold stays English. */
export function translateBy(catalogue: Catalogue): Translate {
  const known = new WeakMap<TemplateStringsArray, readonly (string | number)[]>()
  const rules = new Intl.PluralRules(locale)
  const whole = new Intl.NumberFormat(locale)
  /** Texts and, between them, which value belongs there. */
  const partsOf = (english: TemplateStringsArray) => {
    const parts = known.get(english) ?? readParts(catalogue, english)
    known.set(english, parts)
    return parts
  }
  const fill = <Value>(english: TemplateStringsArray, values: readonly Value[]) =>
    partsOf(english).map((part) => (typeof part === 'number' ? values[part] : part))
  return Object.assign((english: TemplateStringsArray, ...values: readonly (string | number)[]) => fill(english, values).join(''), {
    rich: (english: TemplateStringsArray, ...values: readonly ComponentChildren[]) => fill(english, values),
    count(count: number, english: Forms) {
      const found = catalogue[english.other]
      const forms = typeof found === 'object' ? found : english
      return (forms[rules.select(count)] ?? forms.other).replaceAll('#', whole.format(count))
    },
  })
}

function readParts(catalogue: Catalogue, english: TemplateStringsArray): readonly (string | number)[] {
  const key = english.reduce((text, next, index) => `${text}{${index - 1}}${next}`).replaceAll(/\s*\n\s*/g, ' ')
  const found = catalogue[key]
  const text = typeof found === 'string' ? found : key
  return text.split(/\{(\d+)\}/).map((part, index) => (index % 2 === 1 ? Number(part) : part))
}
