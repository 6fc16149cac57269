import { readFile } from 'node:fs/promises'
import { UsageError } from '../../cli/failures.ts'
import { type NodeCertificate, NodeTls } from '../../cluster/node-tls.ts'
import type { Clock } from '../../core/ports/clock.ts'

/** Where the certificate of a node lies. */
export interface NodeCertificateFiles {
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

/** How often the files are looked at. */
const lookEveryMs = 10_000

/**
 * The certificate of this node, read again when its files change. Files that cannot be used, since only one of them has changed so far, leave the
 * earlier certificate in force.
 *
 * @throws {UsageError} when they cannot be used at the start.
 */
export async function watchNodeCertificate(
  files: NodeCertificateFiles,
  { clock, onFault }: { readonly clock: Clock; readonly onFault: (error: unknown) => void },
): Promise<{ readonly tls: NodeTls } & AsyncDisposable> {
  let known = await readCertificate(files)
  const tls = begin(known, clock)
  const stop = new AbortController()
  const look = async () => {
    const found = await readCertificate(files)
    if (JSON.stringify(found) === JSON.stringify(known)) return
    known = found
    tls.replace(found, clock.now())
  }
  const watching = (async () => {
    for (;;) {
      await clock.wait(lookEveryMs, { signal: stop.signal })
      await look().catch(onFault)
    }
  })().catch(() => {})
  return {
    tls,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await watching
    },
  }
}

function begin(certificate: NodeCertificate, clock: Clock): NodeTls {
  try {
    return new NodeTls(certificate, clock.now())
  } catch (error) {
    throw new UsageError([{ where: 'node-certificate-file', message: error instanceof Error ? error.message : String(error) }])
  }
}

async function readCertificate({ authority, certificate, key }: NodeCertificateFiles): Promise<NodeCertificate> {
  return {
    authority: await read(authority, 'node-authority-file'),
    certificate: await read(certificate, 'node-certificate-file'),
    key: await read(key, 'node-key-file'),
  }
}

async function read(path: string, where: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError([{ where, message: `${path} cannot be read: ${error.message}` }])
  })
}
