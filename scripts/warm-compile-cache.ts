import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Run by the install: starts the service once on an empty folder and stops it, so that its first real start finds compiled
// code. Nothing depends on it: where it fails, the first start only takes longer.
const folder = await mkdtemp(join(tmpdir(), 'sepia-warm-'))
const root = fileURLToPath(new URL('..', import.meta.url))
const command = ['--require', './src/composition/compile-cache.cjs', 'src/bin.ts', 'serve']
const flags = ['--data', folder, '--host', '127.0.0.1', '--port', '0', '--log-level', 'silent']

/** What engines load; they are not allowed to keep compiled code themselves. */
const engineModules = [
  ...['./src/composition/text-engine.ts', './src/composition/image-engine.ts', './src/composition/picture-engine.ts'],
  ...['node-llama-cpp', 'onnxruntime-node', 'sharp'],
]
const imports = engineModules.map((name) => `await import('${name}').catch(() => {})`).join('\n')
const engines = spawn(process.execPath, ['--require', './src/composition/compile-cache.cjs', '--input-type=module', '--eval', imports], {
  cwd: root,
  stdio: 'ignore',
  timeout: 30_000,
})
const service = spawn(process.execPath, [...command, ...flags], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: 30_000,
})
service.stdout.setEncoding('utf8').on('data', (text: string) => {
  if (text.includes('ready ')) service.kill('SIGTERM')
})
await Promise.all([once(service, 'exit'), once(engines, 'exit')]).catch((error: unknown) =>
  console.warn('The service could not be started to warm it up.', error),
)
await rm(folder, { recursive: true, force: true })
