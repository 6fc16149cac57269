import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { createServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { makeAuthority, makeCertificate } from '../cluster/make-certificates.ts'
import { createTemporaryFolder } from '../temporary-folder.ts'

/** TLS in front of a plain server, as a host of this name, whose certificate this process trusts from now on. */
export async function startSecureFront(name: string, behind: number): Promise<AsyncDisposable & { readonly port: number }> {
  await using folder = await createTemporaryFolder()
  // Authorities of one name would be taken for each other.
  const authority = await makeAuthority(folder.path, `authority-${crypto.randomUUID()}`)
  const files = await makeCertificate(folder.path, { authority, name })
  const [ca, cert, key] = await Promise.all([files.authority, files.certificate, files.key].map((file) => readFile(file, 'utf8')))
  setDefaultCACertificates([...getCACertificates('default'), ca ?? ''])
  const open = new Set<TLSSocket>()
  const server = createServer({ cert: cert ?? '', key: key ?? '' }, (socket) => {
    open.add(socket.on('error', () => {}))
    const inner = connect(behind, '127.0.0.1').on('error', () => socket.destroy())
    inner.once('close', () => socket.end())
    socket.once('close', () => {
      open.delete(socket)
      inner.destroy()
    })
    socket.pipe(inner).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
