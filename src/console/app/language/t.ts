import { language } from './language.ts'
import { type Translate, translateBy } from './translate.ts'

/**
 * Translates the console's texts into the page's language. German is loaded only when needed, and before modules that import this one run, so
 * that texts outside of functions are translated too.
 */
export const t: Translate = translateBy(language === 'de' ? (await import('./de.json', { with: { type: 'json' } })).default : {})
