import type { Catalogue } from './catalogue.ts'
import { language } from './language.ts'
import { type Translate, translateBy } from './translate.ts'

const shared: Catalogue = language === 'de' ? (await import('./german.ts')).german : {}

/**
 * How a wing of pages says its texts: by its own catalogue, which is loaded only where it is needed, then by the one that
 * all share. A module that awaits it may use its texts at once, those outside of functions too.
 */
export async function translateWing(load: () => Promise<{ readonly german: Catalogue }>): Promise<Translate> {
  return translateBy(language === 'de' ? { ...shared, ...(await load()).german } : {})
}

/** Texts that all share, and of what lies around the pages. */
export const t: Translate = translateBy(shared)
