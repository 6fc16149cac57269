import { readFile } from 'node:fs/promises'
import type { Catalogue } from '../../../src/console/app/language/translate.ts'
import type { Say } from './album.ts'

const catalogue = new URL('../../../src/console/app/language/de.json', import.meta.url)

/** How the pages say a text in a language. */
export async function wordsOf(language: 'en' | 'de'): Promise<Say> {
  const german: Catalogue = language === 'de' ? JSON.parse(await readFile(catalogue, 'utf8')) : {}
  return (english, ...values) => {
    const found = language === 'en' ? english : german[english]
    if (typeof found !== 'string') throw new Error(`${catalogue.pathname} does not hold “${english}”`)
    return values.reduce((text, value, index) => text.replace(`{${index}}`, value), found)
  }
}
