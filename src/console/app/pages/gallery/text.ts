import { translateWing } from '../../language/t.ts'
import type { Translate } from '../../language/translate.ts'

/** The texts of these pages. */
export const t: Translate = await translateWing(() => import('./german.ts'))
