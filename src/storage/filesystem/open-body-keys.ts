import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BodyKey, BodyKeys } from '../../core/ports/body-keys.ts'
import { syncFolder } from '../private-files.ts'

const secretBytes = 32
/** `<id> <base64>`, one key per line, newest last. */
const line = /^([\w-]{1,64}) ([A-Za-z0-9+/]{43}=)$/

/**
 * Reads keys from a file: `<id> <base64 of 32 bytes>` per line, newest last; lines starting with # are ignored.
 *
 * @param settings.mayBegin Whether the service may create the first key; nodes of a cluster need the same file instead.
 * @throws {Error} naming an invalid line.
 */
export async function openBodyKeys({ file, mayBegin }: { readonly file: string; readonly mayBegin: boolean }): Promise<BodyKeys> {
  let keys = await readKeys(file)
  return {
    current: () => keys.at(-1) ?? null,
    find: (wanted) => keys.find(({ id }) => id === wanted) ?? null,
    begin: async () => {
      keys = await readKeys(file)
      if (keys.length === 0 && mayBegin) keys = [await makeBodyKey(file)]
    },
    refresh: async () => {
      keys = await readKeys(file)
    },
  }
}

/**
 * Generates a key and appends it to the file, which is created if missing with access for this user only. New bodies are encrypted with it.
 */
export async function makeBodyKey(file: string): Promise<BodyKey> {
  const text = await readText(file)
  parseKeys(file, text)
  const secret = randomBytes(secretBytes)
  const id = `${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  const unfinished = `${file}.new`
  await rm(unfinished, { force: true })
  {
    await using written = await open(unfinished, 'wx', 0o600)
    await written.writeFile(`${text}${end}${id} ${secret.toString('base64')}\n`)
    await written.sync()
  }
  await rename(unfinished, file)
  await syncFolder(dirname(file))
  return { id, secret }
}

async function readKeys(file: string): Promise<readonly BodyKey[]> {
  return parseKeys(file, await readText(file))
}

function parseKeys(file: string, text: string): readonly BodyKey[] {
  return text.split('\n').flatMap((written, at) => {
    const each = written.trim()
    if (each === '' || each.startsWith('#')) return []
    const [, id, secret] = line.exec(each) ?? []
    if (id === undefined || secret === undefined)
      throw new Error(`Line ${at + 1} of ${file} is not a key; write <id> <base64 of 32 bytes>.`)
    return [{ id, secret: Buffer.from(secret, 'base64') }]
  })
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code }: NodeJS.ErrnoException = Object(error)
    if (code === 'ENOENT') return ''
    if (code === 'EISDIR') throw new Error(`${file} is a folder instead of a file; move it away.`, { cause: error })
    throw error
  }
}
