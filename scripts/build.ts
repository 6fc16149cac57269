import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { appBuildFolder, isAppOutdated } from '../src/console/bundle/app-files.ts'

// `npm run build`, which `npm start` runs first: when the console is missing or older than its sources, bundles it and starts the service
// once on an empty folder, so that the real start finds compiled code. Where it fails, the service starts all the same.
const root = fileURLToPath(new URL('..', import.meta.url))
if (await isAppOutdated(appBuildFolder)) {
  const began = Date.now()
  process.stderr.write('Building the console (once after an install or a change) … ')
  const isBuilt = await run(['src/console/bundle/build.ts'], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (isBuilt) await Promise.all([warmService(), warmEngines()])
  process.stderr.write(isBuilt ? `${((Date.now() - began) / 1000).toFixed(1)} s\n` : 'failed; the service starts without it\n')
}

/** @returns Whether it ended well. */
async function run(
  args: readonly string[],
  { stdio }: { readonly stdio: ['ignore', 'inherit' | 'ignore', 'inherit' | 'ignore'] },
): Promise<boolean> {
  const child = spawn(process.execPath, args, { cwd: root, stdio, timeout: 120_000 })
  return once(child, 'exit').then(
    ([code]) => code === 0,
    () => false,
  )
}

/** What engines load; they are not allowed to keep compiled code themselves. */
async function warmEngines(): Promise<void> {
  const names = [
    ...['./src/composition/text-engine.ts', './src/composition/image-engine.ts', './src/composition/picture-engine.ts'],
    ...['koffi', 'onnxruntime-node', 'sharp'],
  ]
  const imports = names.map((name) => `await import('${name}').catch(() => {})`).join('\n')
  await run(['--require', './src/composition/compile-cache.cjs', '--input-type=module', '--eval', imports], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
}

async function warmService(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-warm-'))
  const command = ['--require', './src/composition/compile-cache.cjs', 'src/bin.ts', 'serve']
  const flags = ['--data', folder, '--host', '127.0.0.1', '--port', '0', '--log-level', 'silent']
  const service = spawn(process.execPath, [...command, ...flags], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], timeout: 30_000 })
  service.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('ready ')) service.kill('SIGTERM')
  })
  await once(service, 'exit').catch(() => {})
  await rm(folder, { recursive: true, force: true })
}
