import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildPackage } from '../../scripts/package/build-package.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

// Packs the package, installs it into an empty folder as a stranger would, and has `npx sepia` answer a chat there.
await using folder = await createTemporaryFolder()
const packed = join(folder.path, 'package')
await buildPackage(packed)
const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: strangersEnvironment() })
const [{ filename, files }]: [{ filename: string; files: readonly { path: string }[] }] = JSON.parse(
  run('npm', ['pack', '--json', '--pack-destination', folder.path], packed),
)
const paths = files.map(({ path }) => path)
assert.deepEqual(
  paths.filter((path) => /^(?!node_modules\/(?:onnxruntime-node|rapidoc)\/).*(\.ts$|\.test\.|^test\/|node_modules)/.test(path)),
  [],
  'The package holds tests or sources.',
)
for (const path of [
  'sepia',
  'scripts/node',
  'LICENSE',
  'src/bin.js',
  'sbom.cdx.json',
  'dist/console/index.html',
  'docs/first-model.md',
  'models/sepia-mini-chat/model.json',
])
  assert.ok(paths.includes(path), `The package lacks ${path}.`)

for (const path of paths) assert.ok(!/\.dll$/.test(path), path)

const home = join(folder.path, 'home')
await writeFile(join(folder.path, 'package.json'), '{}')
run('npm', ['install', '--no-audit', '--no-fund', join(folder.path, filename)], folder.path)
const installed = await readdir(join(folder.path, 'node_modules'), { recursive: true })
assert.deepEqual(
  installed.filter((path) => /@node-llama-cpp\/[\w-]*cuda[\w-]*$/.test(path)),
  [],
  'Builds for CUDA came along.',
)
const sizes = await Promise.all(installed.map((path) => lstat(join(folder.path, 'node_modules', path))))
console.log(`${Math.round(sizes.reduce((sum, { size }) => sum + size, 0) / 2 ** 20)} MB installed`)
console.log(`${paths.length} files; ${(await readdir(join(folder.path, 'node_modules'))).length} packages beside it`)

const service = spawn('npx', ['sepia', 'serve', '--port', '0', '--data', home], {
  cwd: folder.path,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: strangersEnvironment(),
  // A process group, which is stopped as a whole, as Ctrl-C does: npx forwards no signal.
  detached: true,
})
const ended = once(service, 'exit')
let greeting = ''
for await (const line of createInterface({ input: service.stdout })) {
  greeting += `${line}\n`
  if (line.startsWith('ready ')) break
}
const [, url = ''] = /^ready (\S+)$/m.exec(greeting) ?? []
const [, token = ''] = /TOKEN=(sepia_\w+)/.exec(greeting) ?? []
assert.notEqual(token, '', `The service did not start:\n${greeting}`)
assert.match(run('npx', ['sepia', 'version'], folder.path), /^\d+\.\d+\.\d+$/m)
const said = run('npx', ['sepia', 'chat', 'Hello', '--url', url, '--token', token], folder.path)
assert.match(said, /\w/)
for (const page of ['console/', 'docs', 'docs/first-model', 'docs/api/rapidoc.js'])
  assert.equal((await fetch(`${url}/${page}`)).status, 200, page)
console.log(`It answered: ${said.trim()}`)
assert.ok(service.pid !== undefined)
process.kill(-service.pid, 'SIGTERM')
await ended

/** Without what this run put in place: the Node of the repository, and the settings of npm scripts. */
function strangersEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !/^(npm_|SEPIA_|NODE)/i.test(name))
  const path = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'))
  return {
    ...Object.fromEntries(entries.map(([name, value]) => [name, value ?? ''])),
    PATH: path.join(':'),
  }
}
