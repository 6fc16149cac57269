import { createReadStream, existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { parseRecord } from '../core/json-value.ts'
import { isPickle } from './checkpoint/read-loose-files.ts'
import { chooseGguf } from './hub/choose-gguf.ts'
import { choosePictureModel } from './hub/choose-picture-model.ts'
import type { RepositoryFile } from './hub/hub-access.ts'
import { unknownSum } from './model-file.ts'
import type { ModelSource } from './model-source.ts'
import { examineGguf, modelId } from './weight-file-source.ts'

/** Files offered by a folder: its `model.json` (completed by a list of files if it has none, or generated), and the origin of each file. */
interface FolderOffer {
  readonly text: string
  /** Path in the folder by path in the model; absent = equal. */
  readonly origins: ReadonlyMap<string, string>
  readonly notes: readonly string[]
  readonly version: string
  /** The GGUF file whose header is checked after copying. */
  readonly gguf: string | null
}

/**
 * A local folder as a source. Without a `model.json`, its files are chosen as for a repository on the hub: a GGUF model, a folder in
 * diffusers' layout, or the only checkpoint.
 *
 * If there are none, `readModelFile` throws an error that explains the format of sources.
 */
export function createFolderSource(folder: string): ModelSource {
  let offer: Promise<FolderOffer> | null = null
  const read = (): Promise<FolderOffer> => (offer ??= readOffer(folder))
  return {
    readModelFile: async () => (await read()).text,
    describe: async () => (await read()).notes,
    version: async () => (await read()).version,
    examine: async (arrived) => {
      const { gguf } = await read()
      return gguf === null ? null : examineGguf(join(arrived, gguf))
    },
    openFile: async (path, offset, { signal }) => {
      const { origins } = await read()
      return { offset, bytes: createReadStream(join(folder, origins.get(path) ?? path), { start: offset, highWaterMark: 1 << 20, signal }) }
    },
  }
}

async function readOffer(folder: string): Promise<FolderOffer> {
  try {
    const text = await readFile(join(folder, 'model.json'), 'utf8')
    return (await listUnlisted(folder, text)) ?? { text, origins: new Map(), notes: [], version: '', gguf: null }
  } catch (error) {
    if (!isMissing(error)) throw error
    const hub = 'write hf:<owner>/<repository> for a model of the hub'
    if (!existsSync(folder)) throw new Error(`There is no file or folder ${folder}; ${hub}.`, { cause: error })
    const described = await describeFolder(folder)
    if (described !== null) return described
    throw new Error(
      `${folder} has no model.json, no GGUF file, no checkpoint and no model_index.json; name a folder that has one, or ${hub}.`,
      {
        cause: error,
      },
    )
  }
}

/** Adds a list of all files to a `model.json` without one; null if it has one, or is invalid. */
async function listUnlisted(folder: string, text: string): Promise<FolderOffer | null> {
  const modelFile = parseRecord(text)
  if (modelFile === null || modelFile.files !== undefined) return null
  const found = (await listFiles(folder)).filter(({ file: { path } }) => path !== 'model.json' && !isPickle(path))
  const gguf = modelFile.format === 'gguf' && typeof modelFile.file === 'string' ? modelFile.file : null
  return { ...writeOffer(modelFile, found, new Map(found.map(({ file }) => [file.path, file])), []), gguf }
}

/** Generates a `model.json` with the list of chosen files. */
function writeOffer(
  modelFile: object,
  found: readonly FoundFile[],
  chosen: ReadonlyMap<string, RepositoryFile>,
  notes: readonly string[],
): Omit<FolderOffer, 'gguf'> {
  const listed = Object.fromEntries([...chosen].map(([path, { bytes }]) => [path, { bytes, sha256: unknownSum }]))
  return {
    text: `${JSON.stringify({ ...modelFile, files: listed }, null, 2)}\n`,
    origins: new Map([...chosen].map(([path, { path: origin }]) => [path, origin])),
    notes: [...notes, 'There is no checksum to compare with: Sepia checks the size and header, and records the SHA-256 of what arrives.'],
    version: found.map(({ file, modified }) => `${file.path} ${modified}`).join('\n'),
  }
}

async function describeFolder(folder: string): Promise<FolderOffer | null> {
  const found = await listFiles(folder)
  const files = found.map(({ file }) => file)
  const name = basename(resolve(folder))
  const base = { id: modelId(name), name }
  const text = chooseGguf(folder, files, null)
  if (text !== null) {
    const eyes = text.projector === null ? [] : [text.projector]
    const chosen = new Map([...text.files, ...eyes].map((file) => [basename(file.path), file]))
    const sees = text.projector === null ? {} : { projector: basename(text.projector.path) }
    const [gguf = ''] = chosen.keys()
    return { ...writeOffer({ ...base, kind: 'text', format: 'gguf', file: gguf, ...sees }, found, chosen, text.notes), gguf }
  }
  const checkpoints = files.filter(({ path }) => /^[^/]+\.safetensors$/u.test(path)).map(({ path }) => join(folder, path))
  if (checkpoints.length > 1 && !files.some(({ path }) => path === 'model_index.json'))
    throw new Error(`${folder} has several models; pull one of them by its path: ${checkpoints.join(', ')}.`)
  const picture = choosePictureModel(folder, files, null)
  if (picture === null) return null
  const file = picture.file === null ? {} : { file: picture.file }
  return { ...writeOffer({ ...base, kind: 'image', format: 'safetensors', ...file }, found, picture.files, picture.notes), gguf: null }
}

interface FoundFile {
  readonly file: RepositoryFile
  readonly modified: number
}

/** Files of a folder with `/` in their paths, except hidden ones. */
async function listFiles(folder: string): Promise<readonly FoundFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  const seen = paths
    .filter(
      (path) =>
        !relative(folder, path)
          .split(sep)
          .some((step) => step.startsWith('.')),
    )
    .toSorted()
  const found = await Promise.all(
    seen.map(async (path) => {
      const stats = await stat(path).catch(() => null)
      if (stats?.isFile() !== true) return []
      const file = { path: relative(folder, path).split(sep).join('/'), bytes: stats.size, sha256: null, gitHash: '' }
      return [{ file, modified: stats.mtimeMs }]
    }),
  )
  return found.flat()
}

/** Whether a file or folder does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
