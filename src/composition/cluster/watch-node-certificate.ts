import { readFile } from 'node:fs/promises'
import { UsageError } from '../../cli/failures.ts'
import { type NodeCertificate, NodeTls } from '../../cluster/node-tls.ts'
import type { Clock } from '../../core/ports/clock.ts'

/** Files of a node's certificate. */
export interface NodeCertificateFiles {
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

/** Interval between checks of the files. */
const lookEveryMs = 10_000

/**
 * This node's certificate, reloaded when its files change. If the new files do not match yet, because only one has changed, the earlier
 * certificate stays in use.
 *
 * @throws {UsageError} if they are unusable at the start.
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
