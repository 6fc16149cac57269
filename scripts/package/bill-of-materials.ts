import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** One package or file of weights. */
export interface Component {
  readonly type: 'library' | 'machine-learning-model'
  readonly 'bom-ref': string
  readonly name: string
  readonly version?: string
  readonly purl?: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses?: readonly { readonly expression: string }[]
}

/** What an installation is made of. */
export interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX'
  readonly specVersion: '1.5'
  readonly version: 1
  readonly metadata: { readonly component: { readonly type: 'application'; readonly name: string; readonly version: string } }
  readonly components: readonly Component[]
}

/** A package as npm's lock file has it. */
interface LockedPackage {
  readonly version?: string
  /** `<algorithm>-<base64>`. */
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
}

/**
 * Packages by the lock file, for every platform, and the weights that come with Sepia.
 *
 * `npm sbom` leaves out packages that are dependencies and peers of what only tests need, `pg` among them.
 *
 * @see https://cyclonedx.org/docs/1.5/json/
 */
export function billOfMaterials(): BillOfMaterials {
  const { name, version, packages }: { name: string; version: string; packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const libraries = new Map(installed.map(([path, locked]) => library(path, locked)).map((found) => [found['bom-ref'], found]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name, version } },
    components: [...libraries.values(), ...weights()],
  }
}

function library(path: string, { version = '', integrity, license }: LockedPackage): Component {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm = '', digest = ''] = integrity?.split('-') ?? []
  const hash = { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(integrity !== undefined && { hashes: [hash] }),
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  }
}

function weights(): readonly Component[] {
  const folder = join(root, 'models')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(gguf|onnx|onnx_data|safetensors)$/.test(name),
  )
  return names.sort().map((name) => {
    const content = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
    return { type: 'machine-learning-model', 'bom-ref': `models/${name}`, name, hashes: [{ alg: 'SHA-256', content }] }
  })
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(billOfMaterials(), null, 2))
