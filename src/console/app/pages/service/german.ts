import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  'At most': 'Höchstens',
  Does: 'Aufgabe',
  'Drawing, a step': 'Zeichnen, je Schritt',
  'First token after': 'Erstes Token nach',
  'Free on the machine': 'Frei auf dem Rechner',
  'Load, one minute': 'Last, eine Minute',
  Machine: 'Rechner',
  Memory: 'Speicher',
  'Memory, models': 'Speicher, Modelle',
  'Memory, this process': 'Speicher, dieser Prozess',
  'Memory, with models': 'Speicher, mit Modellen',
  Nodes: 'Knoten',
  'Oldest in the queue': 'Älteste in der Warteschlange',
  'Requests a second': 'Anfragen je Sekunde',
  'Sepia {0} on Node.js {1}, {2}. Limits are settings of the start; see {3}.':
    'Sepia {0} auf Node.js {1}, {2}. Grenzen werden beim Start eingestellt; siehe {3}.',
  'The node that was asked': 'Der befragte Knoten',
  'Tokens a second': 'Token je Sekunde',
  'Up for': 'Läuft seit',
  Version: 'Version',
  What: 'Was',
  'What all nodes do now, and the limits they keep. The lines show the last two minutes.':
    'Was alle Knoten gerade tun, und welche Grenzen sie einhalten. Die Linien zeigen die letzten zwei Minuten.',
  '{0}, stopping': '{0}, wird beendet',
}
