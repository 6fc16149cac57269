import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalogue } from '../../../src/console/app/language/catalogue.ts'
import type { Say } from './album.ts'

const app = join(import.meta.dirname, '../../../src/console/app')

/** How the pages say a text in a language: as all of them do, else as the first wing that has it. */
export async function wordsOf(language: 'en' | 'de'): Promise<Say> {
  const catalogues = language === 'en' ? [] : await readGerman()
  return (english, ...values) => {
    const found = language === 'en' ? english : catalogues.map((catalogue) => catalogue[english]).find((text) => typeof text === 'string')
    if (found === undefined) throw new Error(`No catalogue holds “${english}”`)
    return values.reduce((text, value, index) => text.replace(`{${index}}`, value), found)
  }
}

async function readGerman(): Promise<readonly Catalogue[]> {
  const pages = await readdir(join(app, 'pages'))
  const folders = [join(app, 'language'), ...pages.map((page) => join(app, 'pages', page))]
  const read = async (folder: string): Promise<Catalogue> => {
    const files = await readdir(folder)
    return files.includes('german.ts') ? ((await import(join(folder, 'german.ts'))) as { readonly german: Catalogue }).german : {}
  }
  return Promise.all(folders.map(read))
}
