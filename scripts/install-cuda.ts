import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Puts llama.cpp's CUDA build, about 540 MB, beside the builds that the install brought. package.json leaves it out, and neither that
 * file nor the lock file changes; the next `npm ci` takes it away again.
 */
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { optionalDependencies: Record<string, string> }
const version = optionalDependencies['@node-llama-cpp/linux-x64']
const platform = { linux: 'linux-x64', win32: 'win-x64' }[process.platform as string]
if (platform === undefined || process.arch !== 'x64') {
  console.error('llama.cpp has a CUDA build for x64 Linux and Windows only; other GPUs work without one, see docs/hardware.md.')
  process.exitCode = 1
} else {
  const folder = mkdtempSync(join(tmpdir(), 'sepia-cuda-'))
  try {
    const names = [`@node-llama-cpp/${platform}-cuda`, `@node-llama-cpp/${platform}-cuda-ext`]
    console.log(`Fetching ${names.join(' and ')} ${version} …`)
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', ...names.map((name) => `${name}@${version}`)], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
    for (const name of names) {
      const home = join('node_modules', name)
      rmSync(home, { recursive: true, force: true })
      cpSync(join(folder, 'node_modules', name), home, { recursive: true })
    }
    console.log('Done. `./sepia devices` shows whether CUDA finds a device; start with --gpu auto or --gpu cuda.')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
