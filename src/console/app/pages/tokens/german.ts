import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  '30 days': '30 Tage',
  '7 days': '7 Tage',
  '90 days': '90 Tage',
  'A program that calls this service sends one of these along. Give each program its own. What it may ask for, to read and to try: the {0}.':
    'Ein Programm, das diesen Dienst aufruft, schickt eines davon mit; am besten jedes sein eigenes. Was es verlangen kann, zum Lesen und Ausprobieren: die {0}.',
  'Chat, completions and embeddings': 'Chat, Vervollständigungen und Embeddings',
  'Copy it now. It is kept only as a fingerprint, so nobody can show it to you again.':
    'Jetzt kopieren. Aufbewahrt wird nur ein Fingerabdruck; niemand kann es noch einmal anzeigen.',
  'Copy the token': 'Token kopieren',
  'Draw images, at once or later': 'Bilder zeichnen, gleich oder später',
  expired: 'abgelaufen',
  'I have copied it': 'Ich habe es kopiert',
  'It may': 'Es darf',
  'Limits of “{0}”': 'Limits von „{0}“',
  'Look up requests, fetch results, list models': 'Anfragen ansehen, Ergebnisse holen, Modelle auflisten',
  'Make one, and your programs can talk to the models.': 'Mit einem Token können Ihre Programme mit den Modellen sprechen.',
  'Make the token': 'Token erstellen',
  May: 'Darf',
  'New access token': 'Neues Zugangstoken',
  'New token': 'Neues Token',
  'Nightly report': 'Nächtlicher Bericht',
  'No end': 'Kein Ende',
  'No tokens yet': 'Noch keine Token',
  'One year': 'Ein Jahr',
  Revoke: 'Widerrufen',
  revoked: 'widerrufen',
  'So that you know later which program it belongs to.': 'Damit später klar ist, zu welchem Programm es gehört.',
  'Where a box is empty only your account’s limit holds.': 'Wo ein Feld leer ist, gilt nur das Limit des Kontos.',
  'Works for': 'Gilt für',
  'Your new token': 'Ihr neues Token',
  '“{0}” is revoked.': '„{0}“ ist widerrufen.',
}
