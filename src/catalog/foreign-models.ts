import { mkdir, readdir, readFile, stat, symlink, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isRecord, parseRecord } from '../core/json-value.ts'
import { examineWeights } from './checkpoint/examine-weights.ts'
import { weightName } from './checkpoint/read-loose-files.ts'
import { modelId, partNames } from './weight-file-source.ts'

/** Programs whose models can be used in place. */
export const foreignPrograms = ['ollama', 'lmstudio', 'huggingface'] as const
export type ForeignProgram = (typeof foreignPrograms)[number]

/** A model in another program's folder. */
export interface ForeignModel {
  /** Its name in that program. */
  readonly name: string
  /** Its id in Sepia. */
  readonly id: string
  readonly bytes: number
  /** Links to create in Sepia's model folder, by name, with their targets. */
  readonly links: ReadonlyMap<string, string>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Model folders of a program, most likely first. */
export function foreignFolders(program: ForeignProgram, environment: Environment): readonly string[] {
  const { HOME, USERPROFILE, OLLAMA_MODELS, HF_HUB_CACHE, HF_HOME } = environment
  const home = HOME ?? USERPROFILE ?? '/'
  const set = (path: string | undefined, ...below: readonly string[]) => (path === undefined || path === '' ? [] : [join(path, ...below)])
  switch (program) {
    case 'ollama':
      return [...set(OLLAMA_MODELS), join(home, '.ollama', 'models'), '/usr/share/ollama/.ollama/models']
    case 'lmstudio':
      return [join(home, '.lmstudio', 'models'), join(home, '.cache', 'lm-studio', 'models')]
    case 'huggingface':
      return [...set(HF_HUB_CACHE), ...set(HF_HOME, 'hub'), join(home, '.cache', 'huggingface', 'hub')]
  }
}

/** Models in such a folder that Sepia may support, judged by file names; null = no such folder. */
export async function findForeignModels(program: ForeignProgram, folder: string): Promise<readonly ForeignModel[] | null> {
  if ((await sizeOf(folder)) === null) return null
  const find = { ollama: findInOllama, lmstudio: findInLmStudio, huggingface: findInHubCache }[program]
  return (await find(folder)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Links a model into a model folder without copying. @throws naming a file that is in the way, in which case nothing is linked. */
export async function linkForeignModel({ links }: Pick<ForeignModel, 'links'>, modelsFolder: string): Promise<void> {
  await mkdir(modelsFolder, { recursive: true })
  await using made = new AsyncDisposableStack()
  for (const [name, target] of links) {
    const path = join(modelsFolder, name)
    await symlink(target, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`${path} already exists; rename it, or remove it if nothing uses it.`) : error
    })
    made.defer(() => unlink(path))
  }
  made.move()
}

const modelLayer = 'application/vnd.ollama.image.model'
const projectorLayer = 'application/vnd.ollama.image.projector'

/** Manifests by registry, owner, name and tag, which refer to blobs by checksum. */
async function findInOllama(folder: string): Promise<readonly ForeignModel[]> {
  const found: ForeignModel[] = []
  const manifests = join(folder, 'manifests')
  for (const path of await filesBelow(manifests)) {
    const [registry = '', ...steps] = path
    const [name = '', tag = ''] = [steps.at(-2), steps.at(-1)]
    const manifest = parseRecord(await readFile(join(manifests, ...path), 'utf8').catch(() => ''))
    const layers = Array.isArray(manifest?.layers) ? manifest.layers : []
    const blobOf = (mediaType: string): string | null => {
      const layer: unknown = layers.find((each: unknown) => isRecord(each) && each.mediaType === mediaType)
      const [, sum] = /^sha256[:-]([0-9a-f]{64})$/.exec(isRecord(layer) && typeof layer.digest === 'string' ? layer.digest : '') ?? []
      return sum === undefined ? null : join(folder, 'blobs', `sha256-${sum}`)
    }
    const owner = steps.slice(0, -2).filter((step) => step !== 'library')
    const place = registry === 'registry.ollama.ai' ? owner : [registry, ...owner]
    found.push(
      ...(await asModel({
        name: `${[...place, name].join('/')}:${tag}`,
        id: modelId(tag === 'latest' ? name : `${name}-${tag}`),
        weights: [blobOf(modelLayer)],
        projector: blobOf(projectorLayer),
      })),
    )
  }
  return found
}

/** GGUF files by publisher and repository. */
async function findInLmStudio(folder: string): Promise<readonly ForeignModel[]> {
  return findGguf(folder, await filesBelow(folder), (path) => path.join('/'))
}

/** Snapshots of repositories, whose files are links to blobs; the current snapshot of `main` of each. */
async function findInHubCache(folder: string): Promise<readonly ForeignModel[]> {
  const found: ForeignModel[] = []
  for (const name of await readdir(folder)) {
    const [, owner, repository] = /^models--(.+?)--(.+)$/.exec(name) ?? []
    if (owner === undefined || repository === undefined) continue
    const main = await readFile(join(folder, name, 'refs', 'main'), 'utf8').catch(() => '')
    const [revision = ''] = [main.trim(), ...(await readdir(join(folder, name, 'snapshots')).catch(() => []))].filter((each) =>
      /^\w+$/.test(each),
    )
    const snapshot = join(folder, name, 'snapshots', revision)
    const files = revision === '' ? [] : await filesBelow(snapshot)
    const source = `${owner}/${repository}`
    if (files.some((path) => path.join('/') === 'model_index.json')) {
      const bytes = (await Promise.all(files.map((path) => sizeOf(join(snapshot, ...path))))).reduce<number>(
        (sum, each) => sum + (each ?? 0),
        0,
      )
      const id = modelId(repository)
      if (id !== '') found.push({ name: source, id, bytes, links: new Map([[id, snapshot]]) })
    } else {
      const nameOf = (path: readonly string[]) => `${source}/${path.join('/')}`
      found.push(...(await findGguf(snapshot, files, nameOf)), ...(await findCheckpoints(snapshot, files, nameOf)))
    }
  }
  return found
}

/** Image models in one file each, by what their headers say; other files of weights are parts or adapters of models, or language models. */
async function findCheckpoints(
  folder: string,
  files: readonly (readonly string[])[],
  nameOf: (path: readonly string[]) => string,
): Promise<readonly ForeignModel[]> {
  const found = files.map(async (path): Promise<readonly ForeignModel[]> => {
    const [file, id] = [join(folder, ...path), modelId(weightName(path.at(-1) ?? ''))]
    if (id === '' || !/\.safetensors$/i.test(file)) return []
    const examined = await examineWeights(file, id).catch(() => null)
    if (examined === null || !('descriptor' in examined) || examined.kind === 'asset') return []
    return [{ name: nameOf(path), id, bytes: examined.descriptor.bytes, links: new Map([[`${id}.safetensors`, file]]) }]
  })
  return (await Promise.all(found)).flat()
}

async function findGguf(
  folder: string,
  files: readonly (readonly string[])[],
  nameOf: (path: readonly string[]) => string,
): Promise<readonly ForeignModel[]> {
  const weights = files.filter((path) => /\.gguf$/i.test(path.at(-1) ?? ''))
  const isProjector = (path: readonly string[]) => /mmproj/i.test(path.at(-1) ?? '')
  const models = weights.filter((path) => !isProjector(path) && partNames(path.at(-1) ?? '')[0] === path.at(-1))
  const found = models.map((path) => {
    const file = path.at(-1) ?? ''
    const beside = path.slice(0, -1)
    const isBeside = (other: readonly string[]) => other.length === path.length && beside.every((step, place) => other[place] === step)
    const names = new Set(partNames(file))
    const parts = weights.filter((other) => isBeside(other) && names.has(other.at(-1) ?? ''))
    const projector = weights.find((other) => isBeside(other) && isProjector(other))
    return asModel({
      name: nameOf(path),
      id: modelId(weightName(file)),
      weights: parts.map((part) => join(folder, ...part)),
      projector: projector === undefined ? null : join(folder, ...projector),
    })
  })
  return (await Promise.all(found)).flat()
}

/** A model made of its files, unless one is missing. */
async function asModel({
  name,
  id,
  weights,
  projector,
}: {
  readonly name: string
  readonly id: string
  readonly weights: readonly (string | null)[]
  readonly projector: string | null
}): Promise<readonly ForeignModel[]> {
  if (id === '') return []
  const links = new Map<string, string>()
  let bytes = 0
  for (const path of weights) {
    const size = path === null ? null : await sizeOf(path)
    if (path === null || size === null) return []
    bytes += size
    const part = weights.length === 1 ? '' : basename(path).slice(weightName(path).length, -'.gguf'.length)
    links.set(`${id}${part}.gguf`, path)
  }
  if (projector !== null && (await sizeOf(projector)) !== null) links.set(`mmproj-${id}.gguf`, projector)
  return [{ name, id, bytes, links }]
}

async function sizeOf(path: string): Promise<number | null> {
  const stats = await stat(path).catch(() => null)
  return stats?.size ?? null
}

/** Files in a folder and its subfolders as relative path segments. Hidden ones are unfinished. */
async function filesBelow(folder: string, steps: readonly string[] = []): Promise<readonly (readonly string[])[]> {
  if (steps.length > 6) return []
  const entries = await readdir(join(folder, ...steps), { withFileTypes: true }).catch(() => [])
  const found = entries
    .filter(({ name }) => !name.startsWith('.'))
    .map(async (entry) => (entry.isDirectory() ? filesBelow(folder, [...steps, entry.name]) : [[...steps, entry.name]]))
  return (await Promise.all(found)).flat()
}
