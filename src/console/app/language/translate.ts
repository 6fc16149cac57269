import type { ComponentChildren } from 'preact'
import { locale } from './language.ts'

/** Translates texts, which the code has in English. */
export interface Translate {
  /** A text with inserted strings or numbers: `` t`${name} is revoked.` `` A line break counts as a space. */
  (english: TemplateStringsArray, ...values: readonly (string | number)[]): string
  /** A text with inserted elements. */
  rich(english: TemplateStringsArray, ...values: readonly ComponentChildren[]): ComponentChildren
  /** A text in the plural form of a count; `#` is replaced by the count. */
  count(count: number, english: Forms & { readonly one: string }): string
}

/** Makes a translator from a catalogue. Missing texts stay English. */
export function translateBy(catalogue: Catalogue): Translate {
  const known = new WeakMap<TemplateStringsArray, readonly (string | number)[]>()
  const rules = new Intl.PluralRules(locale)
  const whole = new Intl.NumberFormat(locale)
  /** The texts between values, and the index of each value. */
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

/** The plural forms of a text, by the categories of `Intl.PluralRules`; `#` is replaced by the number. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/**
 * Texts of another language by their English, as it stands in the pages. What is put into a text stands as `{0}`, `{1}` …
 * in the order of the English; a text that counts is known by its English form `other`.
 *
 * The German in `de.json` addresses nobody where an infinitive or the passive will do; else it says “Sie”. Its words:
 * access token: Zugangstoken · account: Konto · answer: Antwort · conversation: Gespräch · disable: sperren ·
 * draw, drawing: zeichnen, Zeichnung · gallery: Galerie · image: Bild · invitation: Einladung · limit: Limit ·
 * mask: Maske · member: Mitglied · model: Modell · owner: Inhaber · preset: Vorlage ·
 * pull: holen · queue: Warteschlange · request: Anfrage · revoke: widerrufen · service: Dienst · sign in: anmelden ·
 * usage: Nutzung · Prompt, Seed, Sampler, Token, Webhook stay.
 */
export type Catalogue = Readonly<Record<string, string | Forms>>
