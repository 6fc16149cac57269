import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startHubServer } from '../support/model-files/hub-server.ts'
import { type Album, openAlbum } from './screenshots/album.ts'
import { takeChat } from './screenshots/chat.ts'
import { takeEntry } from './screenshots/entry.ts'
import { takeImages } from './screenshots/images.ts'
import { looksAlike } from './screenshots/looks-alike.ts'
import { takeNodes } from './screenshots/nodes.ts'
import { takeRecords } from './screenshots/records.ts'
import { takeSettings } from './screenshots/settings.ts'
import { takeStates } from './screenshots/states.ts'
import { wordsOf } from './screenshots/words-of.ts'
import { visitConsole } from './support/console-visit.ts'
import { type DyingServers, openDyingServers } from './support/dying-servers.ts'
import { openSeeingServer } from './support/seeing-server.ts'

/**
 * Draws every page of the console and its states into a folder, by default a temporary one, and puts those that the documentation
 * shows into docs/screenshots:
 * `scripts/node test/browser/take-screenshots.ts [--language de] [--to <folder>] [entry chat images records settings states nodes]`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    language: { type: 'string', default: 'en' },
    to: { type: 'string', default: join(tmpdir(), 'sepia-screenshots') },
  },
})
const language = values.language === 'de' ? 'de' : 'en'
const say = await wordsOf(language)
/** Each begins with a service of its own. */
const chapters: Readonly<Record<string, (album: Album, servers: DyingServers) => Promise<void>>> = {
  entry: takeEntry,
  chat: takeChat,
  images: takeImages,
  records: takeRecords,
  settings: takeSettings,
  states: takeStates,
}

for (const name of positionals.length > 0 ? positionals : [...Object.keys(chapters), 'nodes']) {
  const chapter = chapters[name]
  if (name === 'nodes') await takeNodes({ language, folder: values.to, say })
  else if (chapter !== undefined) await take(chapter)
  else throw new Error(`There is no chapter ${name}; there are ${Object.keys(chapters).join(', ')} and nodes.`)
}

if (language === 'en') await refreshDocumentation(values.to)
console.log(`The pictures are in ${values.to}.`)

/** Replaces the pictures of the documentation that look different now. */
async function refreshDocumentation(drawn: string): Promise<void> {
  const shown = join(import.meta.dirname, '../../docs/screenshots')
  for (const name of await readdir(shown)) {
    const picture = await readFile(join(drawn, name)).catch(() => null)
    if (picture !== null && !(await looksAlike(await readFile(join(shown, name)), picture))) await writeFile(join(shown, name), picture)
  }
}

async function take(chapter: (album: Album, servers: DyingServers) => Promise<void>): Promise<void> {
  await using seeing = await openSeeingServer()
  await using dying = await openDyingServers()
  await using hub = await startHubServer({
    'someone/small-chat-GGUF': { files: { 'small-chat-Q8_0.gguf': Buffer.from('weights') }, license: 'apache-2.0' },
    'someone/closed-chat-GGUF': { files: { 'closed-chat-Q8_0.gguf': Buffer.from('weights') }, gated: true },
  })
  const folders = [seeing.folder, dying.folder].join(delimiter)
  await using visit = await visitConsole(['--models', folders, '--hub-url', hub.url], { locale: language })
  await chapter(await openAlbum(visit, values.to, say), dying)
}
