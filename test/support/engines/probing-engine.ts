import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import sharp from 'sharp'
import { servePictureEngine } from '../../../src/runtimes/process/serve-picture-engine.ts'
import { dropThreads } from '../../../src/runtimes/vision/drop-threads.ts'

/** The result of reading a path: `read`, or the code of the error. */
function tryToRead(path: string): string {
  try {
    readFileSync(path)
    return 'read'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  }
}

/** The same of a picture, by native code alone. */
function tryToDecode(path: string): Promise<string> {
  return sharp(path)
    .metadata()
    .then(
      () => 'read',
      () => 'failed',
    )
}

function tryToConnect(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve('connected'))
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : 'failed'))
  })
}

/** Opens a thread that is not bound by the permissions of this process. */
function tryToOpenThread(): string {
  try {
    new Worker('', { eval: true, execArgv: [] })
    return 'opened'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  }
}

function tryToOpenThreads(): readonly string[] {
  const before = tryToOpenThread()
  dropThreads()
  return [before, tryToOpenThread()]
}

/** Returns in the format of a picture which paths and port, given in its bytes, this process can open. */
servePictureEngine(async (bytes) => {
  const { paths, pictures, port }: { readonly paths: readonly string[]; readonly pictures: readonly string[]; readonly port: number } =
    JSON.parse(Buffer.from(bytes).toString())
  const found = {
    files: paths.map(tryToRead),
    pictures: await Promise.all(pictures.map(tryToDecode)),
    network: await tryToConnect(port),
    environment: Object.keys(process.env),
    threads: tryToOpenThreads(),
  }
  return { format: JSON.stringify(found), width: 0, height: 0 }
})
