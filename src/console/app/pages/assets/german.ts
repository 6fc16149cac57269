import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  'A {0} file that you drop above is checked before it goes up.': 'Eine {0}-Datei, die oben abgelegt wird, wird vor dem Hochladen geprüft.',
  'Add a picture': 'Bild hinzufügen',
  'awaits its file': 'wartet auf die Datei',
  'cannot be read': 'lässt sich nicht lesen',
  'Change the picture': 'Bild ändern',
  Checking: 'Wird geprüft',
  'Checkpoints, LoRAs and other parts that your requests name beside the installed models.':
    'Checkpoints, LoRAs und andere Teile, die Anfragen neben den installierten Modellen nennen.',
  deleted: 'gelöscht',
  Description: 'Beschreibung',
  'Drop a .safetensors file here, or choose one': '.safetensors-Datei hier ablegen oder auswählen',
  'Every account may use it': 'Jedes Konto darf es benutzen',
  'For models of': 'Für Modelle von',
  'For {0}.': 'Für {0}.',
  'holds an upscaler, which its operator puts into a models folder': 'enthält einen Upscaler; den legt der Betreiber in einen Modellordner',
  'is no .safetensors file; other kinds can run code when they are read':
    'ist keine .safetensors-Datei; andere Arten können beim Lesen Code ausführen',
  'It is ready: requests may name it.': 'Fertig: Anfragen können es nennen.',
  'Nothing of your own yet': 'Noch nichts Eigenes',
  Public: 'Öffentlich',
  public: 'öffentlich',
  ready: 'bereit',
  'Really delete': 'Wirklich löschen',
  rejected: 'abgelehnt',
  'Requests name it so: letters, digits, dots, dashes.': 'So nennen es Anfragen: Buchstaben, Ziffern, Punkte, Striche.',
  'textual inversion': 'Textual Inversion',
  'Trigger words': 'Auslösewörter',
  Upload: 'Hochladen',
  'Upload a {0}': '{0} hochladen',
  Uploading: 'Wird hochgeladen',
  uploading: 'wird hochgeladen',
  'What to write in the prompt, with commas between.': 'Was im Prompt stehen muss, durch Kommas getrennt.',
  'What {0} does': 'Was {0} bewirkt',
}
