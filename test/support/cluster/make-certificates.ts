import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { NodeCertificate } from '../../../src/cluster/node-tls.ts'

const openssl = (...args: readonly string[]) => promisify(execFile)('openssl', args)

/** The files of one certificate authority. */
export interface Authority {
  readonly certificate: string
  readonly key: string
}

/** Where one node's files lie. */
export interface CertificateFiles {
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

const newKey = (file: string, name: string) => [
  ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
  ...['-keyout', file, '-subj', `/CN=${name}`],
]

/** An authority that signs nodes, by openssl. */
export async function makeAuthority(folder: string, name: string): Promise<Authority> {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  await openssl('req', '-x509', ...newKey(key, name), '-days', '2', '-out', certificate)
  return { certificate, key }
}

/** A node's certificate; with a negative number of days it has ended. */
export async function makeCertificate(
  folder: string,
  { authority, name, days = 2 }: { readonly authority: Authority; readonly name: string; readonly days?: number },
): Promise<CertificateFiles> {
  const [certificate, key, request] = [join(folder, `${name}.pem`), join(folder, `${name}.key`), join(folder, `${name}.csr`)]
  await openssl('req', ...newKey(key, name), '-out', request)
  const by = ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial']
  await openssl('x509', '-req', '-in', request, ...by, '-days', String(days), '-out', certificate)
  return { authority: authority.certificate, certificate, key }
}

export async function readCertificate({ authority, certificate, key }: CertificateFiles): Promise<NodeCertificate> {
  const [a, b, c] = await Promise.all([authority, certificate, key].map((file) => readFile(file, 'utf8')))
  return { authority: a ?? '', certificate: b ?? '', key: c ?? '' }
}
