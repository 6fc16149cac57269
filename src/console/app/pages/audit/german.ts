import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  'All as CSV': 'Alles als CSV',
  'All as JSON': 'Alles als JSON',
  From: 'Von',
  How: 'Wie',
  Operator: 'Betreiber',
  'this machine': 'dieser Rechner',
  To: 'An',
  What: 'Was',
  When: 'Wann',
  Who: 'Wer',
  'Who did what, from where. Entries are added; none ever changes or goes.':
    'Wer was tat, und von wo. Einträge kommen hinzu; keiner ändert sich oder verschwindet.',
}
