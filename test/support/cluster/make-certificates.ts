import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeCertificate } from '../../../src/cluster/node-tls.ts'

const dayMs = 24 * 60 * 60_000

/** The files of one certificate authority, and what it signs with. */
export interface Authority {
  readonly certificate: string
  readonly key: string
  readonly name: string
  readonly privateKey: KeyObject
}

/** Where one node's files lie. */
export interface CertificateFiles {
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

/** An authority that signs nodes. */
export async function makeAuthority(folder: string, name: string): Promise<Authority> {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeCertificate({ certificate, key }, { name, publicKey, privateKey }, { name, privateKey }, { days: 2, signsOthers: true })
  return { certificate, key, name, privateKey }
}

/** A node's certificate; with a negative number of days it has ended. */
export async function makeCertificate(
  folder: string,
  { authority, name, days = 2 }: { readonly authority: Authority; readonly name: string; readonly days?: number },
): Promise<CertificateFiles> {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeCertificate({ certificate, key }, { name, publicKey, privateKey }, authority, { days, signsOthers: false })
  return { authority: authority.certificate, certificate, key }
}

export async function readCertificate({ authority, certificate, key }: CertificateFiles): Promise<NodeCertificate> {
  const [a, b, c] = await Promise.all([authority, certificate, key].map((file) => readFile(file, 'utf8')))
  return { authority: a ?? '', certificate: b ?? '', key: c ?? '' }
}

/** X.509 as RFC 5280 writes it, in as few fields as TLS asks for, signed with ECDSA and SHA-256. */
async function writeCertificate(
  files: { readonly certificate: string; readonly key: string },
  subject: { readonly name: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  issuer: { readonly name: string; readonly privateKey: KeyObject },
  { days, signsOthers }: { readonly days: number; readonly signsOthers: boolean },
): Promise<void> {
  const validity = sequence(time(Date.now() - Math.max(0, -days) * dayMs - 60_000), time(Date.now() + days * dayMs))
  const basicConstraints = sequence(identifier('551d13'), der(0x01, Buffer.of(0xff)), der(0x04, sequence(der(0x01, Buffer.of(0xff)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer.name),
    validity,
    commonName(subject.name),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    ...(signsOthers ? [der(0xa3, sequence(basicConstraints))] : []),
  )
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, issuer.privateKey)]))
  const lines =
    sequence(body, ecdsaWithSha256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  await writeFile(files.certificate, ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'))
  await writeFile(files.key, subject.privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...(length < 128 ? [length] : long)), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function identifier(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(name)))))
}

/** UTCTime: two digits each of the year, month, day, hour, minute and second. */
function time(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`))
}

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'))
