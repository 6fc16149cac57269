import { language } from './language.ts'
import { type Translate, translateBy } from './translate.ts'

/**
 * Says the console's texts in the language of the page. Their German is loaded only where it is needed, before a module
 * that imports this one runs, so that texts outside of functions are right too.
 */
export const t: Translate = translateBy(language === 'de' ? (await import('./de.json', { with: { type: 'json' } })).default : {})
