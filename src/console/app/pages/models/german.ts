import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  'A model is loaded when somebody first asks for it, and leaves the memory when it is idle or another needs the room.':
    'Ein Modell wird geladen, sobald es jemand braucht, und verlässt den Speicher, wenn es ruht oder ein anderes den Platz braucht.',
  'A name begins with hf:, as hf:Qwen/Qwen2.5-7B-Instruct-GGUF; add :Q8_0 for another quantization or :file.safetensors for one file. Every file is checked by size and SHA-256.':
    'Ein Name beginnt mit hf:, wie hf:Qwen/Qwen2.5-7B-Instruct-GGUF; :Q8_0 anhängen für eine andere Quantisierung, :datei.safetensors für eine einzelne Datei. Jede Datei wird nach Größe und SHA-256 geprüft.',
  'All {0} arrived and match. The model is ready to use.': 'Alle {0} sind da und stimmen. Das Modell ist bereit.',
  'answers again': 'antwortet wieder',
  'as {0}': 'als {0}',
  'At work, waiting': 'In Arbeit, wartend',
  Clear: 'Ausblenden',
  Context: 'Kontext',
  Defaults: 'Vorgaben',
  'does not answer': 'antwortet nicht',
  'Found on the hub': 'Im Hub gefunden',
  'In memory': 'Im Speicher',
  'It failed; an owner sees why.': 'Gescheitert; ein Inhaber sieht, warum.',
  'its terms must be accepted on the hub first': 'die Bedingungen sind zuerst im Hub anzunehmen',
  'known once it is loaded': 'bekannt, sobald es geladen ist',
  Licence: 'Lizenz',
  Load: 'Laden',
  Makes: 'Erzeugt',
  'Models to begin with': 'Modelle für den Anfang',
  'Native size': 'Eigene Größe',
  'no failure seen': 'kein Ausfall gesehen',
  'No models': 'Keine Modelle',
  'not stated': 'nicht angegeben',
  'nothing comes now': 'gerade kommt nichts',
  'On disk': 'Auf der Platte',
  'On the node {0}': 'Auf dem Knoten {0}',
  Pull: 'Holen',
  'Pull a model': 'Modell holen',
  'Pulling {0}': '{0} wird geholt',
  'Put a folder with a model.json beside the weights and start with --models.':
    'Einen Ordner mit model.json neben den Gewichten anlegen und mit --models starten.',
  'Reading its list of files…': 'Dateiliste wird gelesen…',
  'Remove {0}?': '{0} entfernen?',
  'Runs on': 'Läuft auf',
  'Runs on other servers': 'Läuft auf anderen Servern',
  'Search the hub': 'Im Hub suchen',
  'The hub has no GGUF model and no picture model with these words; try fewer of them.':
    'Der Hub hat kein GGUF-Modell und kein Bildmodell mit diesen Wörtern; versuchen Sie weniger davon.',
  'the processor': 'Prozessor',
  'the pull of {0}': '– {0}',
  'Try it': 'Ausprobieren',
  Unload: 'Entladen',
  'Words to search the hub for, a name on it, or the address of a file or a model.json':
    'Wörter für die Suche im Hub, ein Name dort, oder die Adresse einer Datei oder einer model.json',
  '{0} a second': '{0} je Sekunde',
  '{0} are deleted from the disk. Whoever asks for {1} is refused from then on; pulling it again brings it back.':
    '{0} werden von der Platte gelöscht. Wer {1} verlangt, wird von da an abgewiesen; erneutes Holen bringt es zurück.',
  '{0} downloads, licence {1}': '{0} Abrufe, Lizenz {1}',
  '{0} left': 'noch {0}',
  '{0} to fetch, about {1} of memory, licence {2}': '{0} zu laden, etwa {1} Speicher, Lizenz {2}',
  '{0} tokens': '{0} Token',
  '{0}, {1} of {2} layers; the rest on the processor': '{0}, {1} von {2} Schichten; der Rest auf dem Prozessor',
}
