import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { billOfMaterials } from './bill-of-materials.ts'
import { type BundledManifest, packageManifest } from './package-manifest.ts'

const root = join(import.meta.dirname, '../..')

/** What is packed as it lies in the repository; the console must have been built. */
const copied = [
  ...['models', 'dist/console', 'docs', 'deploy', 'src/composition/compile-cache.cjs', 'scripts/node'],
  ...['LICENSE', 'README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md'],
]

/** What the service never loads: tests, the browser's half (which is bundled), and what builds that. */
const leftOut = /\.test\.ts$|^console\/app\/|^console\/bundle\/build\.ts$/

/** Writes the package as it is published: JavaScript, for Node strips no types below `node_modules`, and without tests. */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const path of copied)
    await cp(join(root, path), join(folder, path), { recursive: true, filter: (source) => !source.includes('.test.') })
  const sources = await readdir(join(root, 'src'), { recursive: true })
  for (const path of sources.filter((name) => name.endsWith('.ts') && !leftOut.test(name))) {
    const file = join(folder, 'src', path.replace(/\.ts$/, '.js'))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, asJavaScript(await readFile(join(root, 'src', path), 'utf8')))
  }
  const launcher = await readFile(join(root, 'sepia'), 'utf8')
  await writeFile(join(folder, 'sepia'), launcher.replace('src/bin.ts', 'src/bin.js'), { mode: 0o755 })
  const manifest: Readonly<Record<string, unknown>> = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await writeFile(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(), null, 2)}\n`)
  const bundled = await bundlePackages(folder)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageManifest(manifest, bundled), null, 2)}\n`)
}

/**
 * Puts packages into the package that npm could not install from it as they are, since it reads neither the overrides nor the
 * `ignore-scripts` of what it installs: ONNX Runtime without the script that downloads builds for CUDA, for Linux and macOS; of rapidoc its
 * finished page alone.
 *
 * @returns Their manifests, of which the package's own takes over what they need.
 */
function bundlePackages(folder: string): Promise<readonly BundledManifest[]> {
  return Promise.all([
    bundlePackage(folder, 'onnxruntime-node', (path) => !/^script|^bin\/napi-v\d+\/win32/.test(path)),
    bundlePackage(folder, 'rapidoc', (path) => /^(|package\.json|LICENSE.*|dist|dist\/rapidoc-min\.js.*)$/.test(path)),
  ])
}

/** @param isKept Of a path within the package. */
async function bundlePackage(folder: string, name: string, isKept: (path: string) => boolean): Promise<BundledManifest> {
  const [from, to] = [join(root, 'node_modules', name), join(folder, 'node_modules', name)]
  const isOwn = (path: string) => !path.startsWith('node_modules') && isKept(path)
  await cp(from, to, { recursive: true, filter: (source) => isOwn(relative(from, source).replaceAll('\\', '/')) })
  const manifest: BundledManifest = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'))
  const { dependencies: _dependencies, optionalDependencies: _builds, scripts: _scripts, ...rest } = manifest
  await writeFile(join(to, 'package.json'), `${JSON.stringify(rest, null, 2)}\n`)
  return manifest
}

/** A source without types, that names its neighbours as they are called in the package. */
function asJavaScript(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, '$1$2.js$1')
}

if (process.argv[1] === import.meta.filename) await buildPackage(join(root, 'dist/package'))
