import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  'A star on a picture keeps a copy of it here until you delete it.':
    'Ein Stern an einem Bild bewahrt eine Kopie hier auf, bis sie gelöscht wird.',
  'Bare walls': 'Leere Wände',
  'Choose none': 'Auswahl aufheben',
  'Choose {0}': '{0} auswählen',
  'Compare two': 'Zwei vergleichen',
  'Delete it': 'Löschen',
  'Delete this kept picture?': 'Dieses aufbewahrte Bild löschen?',
  deleted: 'gelöscht',
  'Deleted {0}, unless you keep it.': 'Wird {0} gelöscht, wenn Sie es nicht aufbewahren.',
  'Draw the first': 'Das erste zeichnen',
  'It is the only copy, once the day of its request is over. There is no way back.':
    'Es ist die einzige Kopie, sobald der Tag der Anfrage vorbei ist. Das lässt sich nicht rückgängig machen.',
  'Keep it': 'Aufbewahren',
  Kept: 'Aufbewahrt',
  kept: 'aufbewahrt',
  'Kept until you delete it. Its bytes count against what your account may keep.':
    'Aufbewahrt, bis Sie es löschen. Seine Bytes zählen zu dem, was Ihr Konto aufbewahren darf.',
  Larger: 'Größer',
  Next: 'Nächstes',
  'No picture here was drawn with these words.': 'Kein Bild hier wurde mit diesen Worten gezeichnet.',
  'Of the last day': 'Vom letzten Tag',
  'Off the gallery; its request keeps it until its day is over.':
    'Aus der Galerie genommen; die Anfrage behält es, bis ihr Tag vorbei ist.',
  'Pictures from the playground and from your programs. Each is deleted 24 hours after it was stored, unless you keep a copy.':
    'Bilder aus der Werkstatt und aus Ihren Programmen. Jedes wird 24 Stunden nach dem Speichern gelöscht, wenn Sie keine Kopie aufbewahren.',
  'Pictures hang here for 24 hours after they were drawn.': 'Bilder hängen hier 24 Stunden lang, nachdem sie gezeichnet wurden.',
  Previous: 'Voriges',
  Steps: 'Schritte',
  Sampler: 'Sampler',
  Guidance: 'Guidance',
  Size: 'Größe',
  'Drawn by': 'Gezeichnet von',
  Smaller: 'Kleiner',
  'Start from it': 'Davon ausgehen',
  'Take it off the gallery': 'Aus der Galerie nehmen',
  'The picture': 'Das Bild',
  'The request': 'Die Anfrage',
  'This file carries no parameters.': 'Diese Datei enthält keine Parameter.',
  'Two pictures': 'Zwei Bilder',
  'Use its settings': 'Einstellungen übernehmen',
  'When it is deleted': 'Wann es gelöscht wird',
  'Which pictures': 'Welche Bilder',
  'Without: {0}': 'Ohne: {0}',
  '{0} chosen': '{0} ausgewählt',
  'Picture {0} of {1}': 'Bild {0} von {1}',
  'Shown at {0} percent': 'Mit {0} Prozent gezeigt',
}
