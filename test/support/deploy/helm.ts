import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'

const run = promisify(execFile)
const archive = createRequire(import.meta.url)
  .resolve('@aws-cdk/asset-kubectl-v20')
  .replace(/index\.js$/, 'layer.zip')

/** Why Helm cannot run here, or false; the package that brings it has a program for one platform. */
export const withoutHelm: string | false =
  `${process.platform} ${process.arch}` === 'linux x64' ? false : 'Helm is there for Linux on x64 only'

/** Unpacks Helm into a folder; what it answers is what `helm <args>` prints. */
export async function openHelm(folder: string): Promise<(...args: readonly string[]) => Promise<string>> {
  const program = join(folder, 'helm')
  await writeFile(program, readEntry(archive, 'helm/helm'))
  await chmod(program, 0o755)
  const environment = { HOME: folder, PATH: '' }
  return async (...args) => (await run(program, args, { env: environment, maxBuffer: 16 * 1024 * 1024 })).stdout
}

/** One file of a ZIP archive, found by its central directory. */
function readEntry(file: string, name: string): Buffer {
  const bytes = readFileSync(file)
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06'))
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset))
    if (nameLength === undefined || extraLength === undefined || commentLength === undefined) break
    if (bytes.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = bytes.readUInt32LE(at + 42)
      const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
      return inflateRawSync(bytes.subarray(start, start + bytes.readUInt32LE(at + 20)))
    }
    at += 46 + nameLength + extraLength + commentLength
  }
  throw new Error(`${file} holds no ${name}`)
}
